package dev.plumbline.probe.routing;

import dev.plumbline.target.IpPrefix;

/**
 * A validated ROA payload (RFC 6811 section 2): an AS is authorized to announce a prefix.
 *
 * @param maxLength the length of the most specific prefix that it is authorized to announce
 * @param asn 0 if no AS is authorized (RFC 6483 section 4)
 */
public record Vrp(IpPrefix prefix, int maxLength, long asn) {}
