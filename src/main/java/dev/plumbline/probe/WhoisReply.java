package dev.plumbline.probe;

/**
 * What a WHOIS server answered.
 *
 * @param server its name
 * @param text without control characters but for line breaks and tabs; not empty
 */
public record WhoisReply(String server, String text) {}
