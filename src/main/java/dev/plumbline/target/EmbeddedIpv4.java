package dev.plumbline.target;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;

/** Extracts the IPv4 addresses embedded in an IPv6 address by transition mechanisms. */
final class EmbeddedIpv4 {
    private EmbeddedIpv4() {}

    /** An embedded IPv4 address and the name of the transition mechanism. */
    record Address(InetAddress address, String mechanism) {}

    /** Returns the embedded addresses; an empty list if there are none. */
    static List<Address> in(InetAddress address) {
        IpPrefix whole = IpPrefix.of(address);
        if (whole.v4()) {
            return List.of();
        }
        long hi = whole.high();
        long lo = whole.low();
        List<Address> addresses = new ArrayList<>(2);
        if (hi == 0 && lo >>> 32 == 0xffffL) {
            addresses.add(new Address(IpAddressText.v4((int) lo), "IPv4-mapped"));
        } else if (hi == 0 && lo >>> 32 == 0 && lo > 1) {
            addresses.add(new Address(IpAddressText.v4((int) lo), "IPv4-compatible"));
        } else if (hi == 0 && lo >>> 32 == 0xffff_0000L) {
            addresses.add(new Address(IpAddressText.v4((int) lo), "IPv4-translated"));
        } else if (hi == 0x0064_ff9b_0000_0000L && lo >>> 32 == 0) {
            addresses.add(new Address(IpAddressText.v4((int) lo), "NAT64"));
        } else if (hi >>> 16 == 0x0064_ff9b_0001L) {
            addresses.add(new Address(IpAddressText.v4(localNat64(hi, lo)), "NAT64"));
        } else if (hi >>> 48 == 0x2002) {
            addresses.add(new Address(IpAddressText.v4((int) (hi >>> 16)), "6to4"));
        } else if (hi >>> 32 == 0x2001_0000L) {
            addresses.add(new Address(IpAddressText.v4((int) hi), "Teredo server"));
            addresses.add(new Address(IpAddressText.v4(~(int) lo), "Teredo client"));
        }
        long interfaceId = lo >>> 32;
        if (interfaceId == 0x0000_5efeL || interfaceId == 0x0200_5efeL) {
            addresses.add(new Address(IpAddressText.v4((int) lo), "ISATAP"));
        }
        return addresses;
    }

    /** Extracts the address after a /48 prefix: 16 bits before and 16 bits after the reserved octet (RFC 6052 §2.2). */
    private static int localNat64(long hi, long lo) {
        return (int) (hi & 0xffff) << 16 | (int) (lo >>> 40 & 0xffff);
    }
}
