package dev.plumbline.probe;

/**
 * What an RDAP server answered.
 *
 * @param server its name
 * @param status of HTTP: 200 for a domain that is registered, 404 for one that is not (RFC 7480,
 *     section 5)
 */
public record RdapReply(String server, int status, String body) {}
