package dev.plumbline.probe.routing;

import dev.plumbline.target.IpPrefix;

/** @param asn the AS that announces the prefix (origin AS) */
public record Route(IpPrefix prefix, long asn) {}
