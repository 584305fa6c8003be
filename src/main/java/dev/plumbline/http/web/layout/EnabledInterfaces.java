package dev.plumbline.http.web.layout;

/**
 * The interfaces that the operator can enable.
 *
 * @param mcp whether {@code /mcp} exists
 */
public record EnabledInterfaces(boolean mcp) {}
