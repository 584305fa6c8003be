package dev.plumbline.module.tls;

/**
 * A cipher suite that a server accepts in a TLS version.
 *
 * @param name the IANA name
 */
public record AcceptedCipher(String version, String name) {}
