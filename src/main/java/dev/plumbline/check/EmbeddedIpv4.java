package dev.plumbline.check;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;

/** The IPv4 addresses that an IPv6 address may lead to, by the transition mechanism it is of. */
final class EmbeddedIpv4 {
    private EmbeddedIpv4() {}

    /** An IPv4 address inside an IPv6 one, and the name of the mechanism that put it there. */
    record Address(InetAddress address, String mechanism) {}

    /** Empty for most addresses, and for IPv4. */
    static List<Address> in(InetAddress address) {
        byte[] b = address.getAddress();
        if (b.length == 4) {
            return List.of();
        }
        long hi = Cidr.high(b);
        long lo = Cidr.low(b);
        List<Address> found = new ArrayList<>(2);
        if (hi == 0 && lo >>> 32 == 0xffffL) {
            found.add(new Address(IpAddressText.v4((int) lo), "IPv4-mapped"));
        } else if (hi == 0 && lo >>> 32 == 0 && lo > 1) {
            found.add(new Address(IpAddressText.v4((int) lo), "IPv4-compatible"));
        } else if (hi == 0 && lo >>> 32 == 0xffff_0000L) {
            found.add(new Address(IpAddressText.v4((int) lo), "IPv4-translated"));
        } else if (hi == 0x0064_ff9b_0000_0000L && lo >>> 32 == 0) {
            found.add(new Address(IpAddressText.v4((int) lo), "NAT64"));
        } else if (hi >>> 16 == 0x0064_ff9b_0001L) {
            found.add(new Address(IpAddressText.v4(localNat64(hi, lo)), "NAT64"));
        } else if (hi >>> 48 == 0x2002) {
            found.add(new Address(IpAddressText.v4((int) (hi >>> 16)), "6to4"));
        } else if (hi >>> 32 == 0x2001_0000L) {
            found.add(new Address(IpAddressText.v4((int) hi), "Teredo server"));
            found.add(new Address(IpAddressText.v4(~(int) lo), "Teredo client"));
        }
        long interfaceId = lo >>> 32;
        if (interfaceId == 0x0000_5efeL || interfaceId == 0x0200_5efeL) {
            found.add(new Address(IpAddressText.v4((int) lo), "ISATAP"));
        }
        return found;
    }

    /** RFC 6052 §2.2: a /48 prefix has 16 bits of the address before the reserved octet, 16 after. */
    private static int localNat64(long hi, long lo) {
        return (int) (hi & 0xffff) << 16 | (int) (lo >>> 40 & 0xffff);
    }

    static boolean isMapped(byte[] bytes) {
        return Cidr.high(bytes) == 0 && Cidr.low(bytes) >>> 32 == 0xffffL;
    }
}
