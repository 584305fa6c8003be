package dev.plumbline.target;

import com.google.common.primitives.Ints;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A CIDR block as 128-bit network and mask. IPv4 uses the last 32 bits.
 *
 * @param text the original text
 */
public record Cidr(boolean v4, long high, long low, long highMask, long lowMask, String text) {

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
        byte[] bytes = address.getAddress();
        int bits = bytes.length * 8;
        int prefix = slash < 0 ? bits : prefix(trimmed.substring(slash + 1), bits);
        if (prefix < 0) {
            return null;
        }
        boolean v4 = bits == 32;
        int wide = v4 ? prefix + 96 : prefix;
        long highMask = wide == 0 ? 0 : wide >= 64 ? -1L : -1L << 64 - wide;
        long lowMask = wide <= 64 ? 0 : -1L << 128 - wide;
        return new Cidr(v4, high(bytes) & highMask, low(bytes) & lowMask, highMask, lowMask, trimmed);
    }

    private static int prefix(String digits, int max) {
        int prefix = digits.matches("[0-9]{1,3}") ? Integer.parseInt(digits) : -1;
        return prefix <= max ? prefix : -1;
    }

    public boolean contains(InetAddress address) {
        byte[] bytes = address.getAddress();
        return contains(bytes.length == 4, high(bytes), low(bytes));
    }

    boolean contains(boolean ofV4, long ofHigh, long ofLow) {
        return ofV4 == v4 && (ofLow & lowMask) == low && (ofHigh & highMask) == high;
    }

    /** The first 64 of the 128 bits: 0 for IPv4. */
    static long high(byte[] bytes) {
        return bytes.length == 4 ? 0 : ByteBuffer.wrap(bytes).getLong();
    }

    /** The last 64 of the 128 bits. */
    static long low(byte[] bytes) {
        return bytes.length == 4
                ? Ints.fromByteArray(bytes) & 0xffff_ffffL
                : ByteBuffer.wrap(bytes).getLong(8);
    }
}
