package dev.plumbline.probe.registry;

/**
 * What a WHOIS server answered.
 *
 * @param server its name
 * @param text without control characters but for line breaks and tabs; not empty
 */
public record WhoisResponse(String server, String text) {}
