package dev.plumbline.target;

import com.google.common.base.CharMatcher;
import com.google.common.net.InetAddresses;
import com.google.common.primitives.Bytes;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Parses and formats IP addresses without name resolution. An IPv4-mapped IPv6 address remains an IPv6 address;
 * {@link InetAddress#getByAddress} would convert it to IPv4.
 */
public final class IpAddressText {
    private static final long OVERFLOW = 1L << 32;
    private static final CharMatcher PLAIN =
            CharMatcher.anyOf("0123456789abcdefABCDEF.:").precomputed();

    /** The first 12 bytes of an IPv4-mapped address (RFC 4291 §2.5.5.2). */
    private static final byte[] MAPPED_PREFIX = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1, -1};

    private IpAddressText() {}

    /**
     * Parses four decimal numbers without leading zeros, or an IPv6 address (RFC 4291 §2.2) without brackets and zone.
     * Returns null for any other text.
     */
    public static @Nullable InetAddress parse(String text) {
        if (!PLAIN.matchesAllOf(text) || !InetAddresses.isInetAddress(text)) {
            return null;
        }
        byte[] bytes = InetAddresses.forString(text).getAddress();
        return bytes.length == 4 && text.indexOf(':') >= 0 ? of(Bytes.concat(MAPPED_PREFIX, bytes)) : of(bytes);
    }

    /**
     * Parses the text of an address, as {@link #parse}.
     *
     * @throws IllegalArgumentException if the text is not an address
     */
    public static InetAddress of(String text) {
        InetAddress address = parse(text);
        if (address == null) {
            throw new IllegalArgumentException("not an IP address: " + text);
        }
        return address;
    }

    public static List<String> format(List<InetAddress> addresses) {
        return addresses.stream().map(IpAddressText::format).toList();
    }

    /** Returns the canonical text (RFC 5952 for IPv6). The last 32 bits of a mapped address are in dotted form. */
    public static String format(InetAddress address) {
        byte[] bytes = address.getAddress();
        return Bytes.indexOf(bytes, MAPPED_PREFIX) == 0
                ? "::ffff:"
                        + of(Arrays.copyOfRange(bytes, MAPPED_PREFIX.length, bytes.length))
                                .getHostAddress()
                : InetAddresses.toAddrString(of(bytes));
    }

    /** Returns the IPv4 address with these 32 bits. */
    static InetAddress v4(int address) {
        return of(
                new byte[] {(byte) (address >>> 24), (byte) (address >>> 16), (byte) (address >>> 8), (byte) address});
    }

    /** Returns the address of 4 or 16 bytes in network byte order. */
    public static InetAddress of(byte[] bytes) {
        try {
            return bytes.length == 4 ? InetAddress.getByAddress(bytes) : Inet6Address.getByAddress(null, bytes, -1);
        } catch (UnknownHostException wrongLength) {
            throw new IllegalArgumentException("an address has 4 or 16 bytes", wrongLength);
        }
    }

    /** Whether the last label is a number, so that WHATWG URL parsing treats the host as IPv4. */
    static boolean endsInNumber(String host) {
        int start = host.lastIndexOf('.') + 1;
        int length = host.length() - start;
        if (length == 0 || host.charAt(start) < '0' || host.charAt(start) > '9') {
            return false;
        }
        boolean digits = true;
        for (int i = start; i < host.length(); i++) {
            digits &= host.charAt(i) >= '0' && host.charAt(i) <= '9';
        }
        return digits || number(host.substring(start)) >= 0;
    }

    /**
     * Parses IPv4 as the WHATWG URL Standard does (section "IPv4 parser"): one to four numbers, decimal, octal with a
     * leading 0 or hexadecimal with 0x. The last number fills the remaining bytes. Returns null if a number is
     * malformed or too large.
     */
    static @Nullable InetAddress looseV4(String host) {
        String[] parts = host.split("\\.", -1);
        if (parts.length > 4) {
            return null;
        }
        long address = 0;
        for (int i = 0; i < parts.length; i++) {
            long value = number(parts[i]);
            boolean last = i == parts.length - 1;
            long limit = last ? 1L << 8 * (5 - parts.length) : 256;
            if (value < 0 || value >= limit) {
                return null;
            }
            address |= last ? value : value << 8 * (3 - i);
        }
        return v4((int) address);
    }

    /** Parses a number of a WHATWG IPv4 address. Returns 2^32 if it is too large, -1 if it is not a number. */
    private static long number(String text) {
        int radix = 10;
        int start = 0;
        if (text.isEmpty()) {
            return -1;
        }
        if (text.length() >= 2 && text.charAt(0) == '0') {
            boolean hex = text.charAt(1) == 'x' || text.charAt(1) == 'X';
            radix = hex ? 16 : 8;
            start = hex ? 2 : 1;
        }
        long value = 0;
        for (int i = start; i < text.length(); i++) {
            char c = text.charAt(i);
            int digit = c < 0x80 ? Character.digit(c, radix) : -1;
            if (digit < 0) {
                return -1;
            }
            value = Math.min(value * radix + digit, OVERFLOW);
        }
        return value;
    }
}
