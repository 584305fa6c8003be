package dev.plumbline.http.web.layout;

/**
 * The interfaces that the operator can enable.
 *
 * @param probe whether {@code /probe} exists
 * @param mcp whether {@code /mcp} exists
 */
public record EnabledInterfaces(boolean probe, boolean mcp) {}
