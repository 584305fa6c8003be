package dev.plumbline.target;

import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/**
 * A CIDR block and the text that it was parsed from.
 *
 * @param text the original text
 */
public record Cidr(IpPrefix prefix, String text) {

    /**
     * Parses {@code 10.0.0.0/8}, {@code fc00::/7} or a single address. Bits beyond the prefix are ignored.
     *
     * @throws IllegalArgumentException if the text is not a CIDR block; the message contains it
     */
    public static Cidr parse(String text) {
        Cidr cidr = tryParse(text);
        if (cidr == null) {
            throw new IllegalArgumentException("not an address or CIDR block: " + text);
        }
        return cidr;
    }

    /** As {@link #parse}, but returns null if the text is not a CIDR block. */
    public static @Nullable Cidr tryParse(String text) {
        String trimmed = text.strip();
        int slash = trimmed.indexOf('/');
        InetAddress address = IpAddressText.parse(slash < 0 ? trimmed : trimmed.substring(0, slash));
        if (address == null) {
            return null;
        }
        IpPrefix whole = IpPrefix.of(address);
        IpPrefix prefix = slash < 0 ? whole : whole.truncate(trimmed.substring(slash + 1));
        return prefix == null ? null : new Cidr(prefix, trimmed);
    }

    public boolean contains(InetAddress address) {
        return prefix.contains(address);
    }
}
