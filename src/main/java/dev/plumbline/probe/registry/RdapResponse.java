package dev.plumbline.probe.registry;

/**
 * An RDAP response.
 *
 * @param server the hostname of the server
 * @param status the HTTP status: 200 for a registered domain, 404 for an unregistered one (RFC 7480 section 5)
 */
public record RdapResponse(String server, int status, String body) {}
