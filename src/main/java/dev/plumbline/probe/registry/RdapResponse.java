package dev.plumbline.probe.registry;

/**
 * What an RDAP server answered.
 *
 * @param server its name
 * @param status of HTTP: 200 for a domain that is registered, 404 for one that is not (RFC 7480,
 *     section 5)
 */
public record RdapResponse(String server, int status, String body) {}
