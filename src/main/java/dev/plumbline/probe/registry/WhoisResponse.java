package dev.plumbline.probe.registry;

/**
 * A WHOIS response.
 *
 * @param server the hostname of the server
 * @param text not empty, without control characters except line breaks and tabs
 */
public record WhoisResponse(String server, String text) {}
