package dev.plumbline.target;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The special-purpose addresses: the two IANA registries (RFC 6890 and its updates), multicast, all of IPv6 that is not
 * global unicast, and public addresses that cloud providers use internally. Globally reachable registry entries are
 * included because they are anycast and can lead to a local server; the exception is the well-known prefix of NAT64.
 */
final class SpecialAddresses {
    private record Block(IpPrefix prefix, @Nullable String purpose) {}

    /** The first block that contains an address applies, so more specific blocks come first. */
    private static final Block[] V4 = blocks(
            "169.254.169.254/32", "a cloud metadata address",
            "169.254.170.2/32", "a cloud metadata address",
            "100.100.100.200/32", "a cloud metadata address",
            "192.0.0.192/32", "a cloud metadata address",
            "168.63.129.16/32", "a cloud platform address (Azure)",
            "0.0.0.0/8", "an address of \"this network\" (RFC 791)",
            "10.0.0.0/8", "a private address (RFC 1918)",
            "100.64.0.0/10", "a shared address of carrier-grade NAT (RFC 6598)",
            "127.0.0.0/8", "a loopback address (RFC 1122)",
            "169.254.0.0/16", "a link-local address (RFC 3927)",
            "172.16.0.0/12", "a private address (RFC 1918)",
            "192.0.0.0/24", "an address for protocol assignments (RFC 6890)",
            "192.0.2.0/24", "a documentation address (RFC 5737)",
            "192.31.196.0/24", "an AS112 address (RFC 7535)",
            "192.52.193.0/24", "an AMT address (RFC 7450)",
            "192.88.99.0/24", "a 6to4 relay address (RFC 7526)",
            "192.168.0.0/16", "a private address (RFC 1918)",
            "192.175.48.0/24", "an AS112 address (RFC 7534)",
            "198.18.0.0/15", "a benchmarking address (RFC 2544)",
            "198.51.100.0/24", "a documentation address (RFC 5737)",
            "203.0.113.0/24", "a documentation address (RFC 5737)",
            "224.0.0.0/4", "a multicast address (RFC 1112)",
            "255.255.255.255/32", "the broadcast address (RFC 919)",
            "240.0.0.0/4", "a reserved address (RFC 1112)");

    private static final Block[] V6 = blocks(
            "fd00:ec2::/32", "a cloud metadata address",
            "fd20:ce::254/128", "a cloud metadata address",
            "fd00:42::42/128", "a cloud metadata address",
            "::1/128", "the loopback address (RFC 4291)",
            "::/128", "the unspecified address (RFC 4291)",
            "::ffff:0:0/96", "an IPv4-mapped address (RFC 4291)",
            "::ffff:0:0:0/96", "an IPv4-translated address (RFC 2765)",
            "::/96", "an IPv4-compatible address (RFC 4291)",
            "64:ff9b::/96", "",
            "64:ff9b:1::/48", "a local NAT64 address (RFC 8215)",
            "100::/64", "a discard-only address (RFC 6666)",
            "100:0:0:1::/64", "a dummy prefix (RFC 9780)",
            "2001::/32", "a Teredo address (RFC 4380)",
            "2001:2::/48", "a benchmarking address (RFC 5180)",
            "2001:db8::/32", "a documentation address (RFC 3849)",
            "2001::/23", "an address for protocol assignments (RFC 2928)",
            "2002::/16", "a 6to4 address (RFC 3056)",
            "2620:4f:8000::/48", "an AS112 address (RFC 7534)",
            "3fff::/20", "a documentation address (RFC 9637)",
            "2000::/3", "",
            "5f00::/16", "a segment routing identifier (RFC 9602)",
            "fc00::/7", "a unique local address (RFC 4193)",
            "fe80::/10", "a link-local address (RFC 4291)",
            "fec0::/10", "a site-local address (RFC 3879)",
            "ff00::/8", "a multicast address (RFC 4291)",
            "::/0", "not global unicast (RFC 4291)");

    private SpecialAddresses() {}

    /** Returns the purpose of an address with its article, or null for an ordinary public address. */
    static @Nullable String purpose(InetAddress address) {
        IpPrefix whole = IpPrefix.of(address);
        for (Block block : whole.v4() ? V4 : V6) {
            if (block.prefix().contains(whole)) {
                return block.purpose();
            }
        }
        return null;
    }

    private static Block[] blocks(String... cidrsAndPurposes) {
        List<Block> blocks = new ArrayList<>();
        for (int i = 0; i < cidrsAndPurposes.length; i += 2) {
            String purpose = cidrsAndPurposes[i + 1];
            blocks.add(new Block(Cidr.parse(cidrsAndPurposes[i]).prefix(), purpose.isEmpty() ? null : purpose));
        }
        return blocks.toArray(new Block[0]);
    }
}
