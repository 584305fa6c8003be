package dev.plumbline.target;

import com.google.common.primitives.Ints;
import com.google.common.primitives.Longs;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A prefix of IP addresses. The bits after the prefix are 0.
 *
 * @param high the first 64 bits of the address; the address itself and 32 zero bits for IPv4
 * @param low the last 64 bits of an IPv6 address; 0 for IPv4
 * @param length in bits: at most 32 for IPv4, at most 128 for IPv6
 */
public record IpPrefix(boolean v4, long high, long low, int length) {
    public static final int V4_BITS = 32;
    public static final int V6_BITS = 128;

    private static final int MAX_DIGITS = 3;

    /** The prefix that contains this address only. */
    public static IpPrefix of(InetAddress address) {
        byte[] bytes = address.getAddress();
        return bytes.length == 4
                ? new IpPrefix(true, (long) Ints.fromByteArray(bytes) << 32, 0, V4_BITS)
                : new IpPrefix(
                        false,
                        ByteBuffer.wrap(bytes).getLong(),
                        ByteBuffer.wrap(bytes).getLong(8),
                        V6_BITS);
    }

    /** Parses {@code 192.0.2.0/24}. Returns null for any other text, also if a bit after the prefix is 1. */
    public static @Nullable IpPrefix parse(String text) {
        int slash = text.indexOf('/');
        InetAddress address = slash < 0 ? null : IpAddressText.parse(text.substring(0, slash));
        if (address == null) {
            return null;
        }
        IpPrefix whole = of(address);
        IpPrefix prefix = whole.truncate(text.substring(slash + 1));
        return prefix != null && prefix.high == whole.high && prefix.low == whole.low ? prefix : null;
    }

    /** The shorter prefix of this length; null if the text is not a length of one to three digits. */
    @Nullable
    IpPrefix truncate(String digits) {
        Integer bits = digits.length() > MAX_DIGITS || digits.startsWith("-") ? null : Ints.tryParse(digits);
        return bits == null || bits > length ? null : truncate(bits);
    }

    /** The shorter prefix that contains this one. */
    public IpPrefix truncate(int bits) {
        return new IpPrefix(v4, high & highMask(bits), low & lowMask(bits), bits);
    }

    public boolean contains(InetAddress address) {
        return contains(of(address));
    }

    public boolean contains(IpPrefix other) {
        return other.v4 == v4
                && other.length >= length
                && (other.high & highMask(length)) == high
                && (other.low & lowMask(length)) == low;
    }

    private static long highMask(int bits) {
        return bits == 0 ? 0 : bits >= 64 ? -1L : -1L << 64 - bits;
    }

    private static long lowMask(int bits) {
        return bits <= 64 ? 0 : -1L << V6_BITS - bits;
    }

    /** The canonical text, for example {@code 192.0.2.0/24}. */
    @Override
    public String toString() {
        byte[] first = Longs.toByteArray(high);
        byte[] bytes = v4
                ? Arrays.copyOf(first, 4)
                : ByteBuffer.allocate(V6_BITS / 8).putLong(high).putLong(low).array();
        return IpAddressText.format(IpAddressText.of(bytes)) + "/" + length;
    }
}
