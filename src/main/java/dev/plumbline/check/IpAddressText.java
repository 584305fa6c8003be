package dev.plumbline.check;

import com.google.common.net.InetAddresses;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Parses and formats IP addresses without name resolution. An IPv4-mapped IPv6 address remains an IPv6 address;
 * {@link InetAddress#getByAddress} would convert it to IPv4.
 */
public final class IpAddressText {
    private static final long OVERFLOW = 1L << 32;

    private IpAddressText() {}

    /**
     * Parses four decimal numbers without leading zeros, or an IPv6 address (RFC 4291 §2.2) without brackets and zone.
     * Returns null for any other text.
     */
    public static @Nullable InetAddress parse(String text) {
        if (text.indexOf(':') >= 0) {
            byte[] bytes = v6Bytes(text);
            return bytes == null ? null : of(bytes);
        }
        int address = plainV4(text, 0);
        return address == 0 && !text.equals("0.0.0.0") ? null : v4(address);
    }

    /** Formats each address. */
    public static List<String> format(List<InetAddress> addresses) {
        return addresses.stream().map(IpAddressText::format).toList();
    }

    /** Returns the canonical text (RFC 5952 for IPv6). The last 32 bits of a mapped address are in dotted form. */
    public static String format(InetAddress address) {
        byte[] bytes = address.getAddress();
        if (bytes.length == 4) {
            return dotted(bytes, 0);
        }
        return EmbeddedIpv4.isMapped(bytes) ? "::ffff:" + dotted(bytes, 12) : InetAddresses.toAddrString(of(bytes));
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

    private static int plainV4(String text, int from) {
        int address = 0;
        int position = from;
        for (int part = 0; part < 4; part++) {
            int start = position;
            int value = 0;
            while (position < text.length() && position - start < 3 && isDigit(text.charAt(position))) {
                value = value * 10 + text.charAt(position++) - '0';
            }
            boolean leadingZero = position - start > 1 && text.charAt(start) == '0';
            if (position == start || value > 255 || leadingZero) {
                return 0;
            }
            address = address << 8 | value;
            if (part < 3 && (position >= text.length() || text.charAt(position++) != '.')) {
                return 0;
            }
        }
        return position == text.length() ? address : 0;
    }

    private static byte @Nullable [] v6Bytes(String text) {
        byte[] bytes = new byte[16];
        int filled = 0;
        int gap = -1;
        int i = 0;
        if (text.startsWith("::")) {
            gap = 0;
            i = 2;
        }
        while (i < text.length()) {
            int start = i;
            int group = 0;
            while (i < text.length() && i - start < 4 && Character.digit(text.charAt(i), 16) >= 0) {
                if (text.charAt(i) >= 0x80) {
                    return null;
                }
                group = group << 4 | Character.digit(text.charAt(i++), 16);
            }
            if (i < text.length() && text.charAt(i) == '.') {
                if (filled > 12 || !dottedTail(text, start, bytes, filled)) {
                    return null;
                }
                filled += 4;
                break;
            }
            if (i == start || filled > 14) {
                return null;
            }
            bytes[filled++] = (byte) (group >>> 8);
            bytes[filled++] = (byte) group;
            if (i == text.length()) {
                break;
            }
            if (text.charAt(i++) != ':' || i == text.length()) {
                return null;
            }
            if (text.charAt(i) == ':') {
                if (gap >= 0) {
                    return null;
                }
                gap = filled;
                i++;
            }
        }
        if (gap < 0) {
            return filled == 16 ? bytes : null;
        }
        if (filled > 14) {
            return null;
        }
        byte[] spread = new byte[16];
        System.arraycopy(bytes, 0, spread, 0, gap);
        System.arraycopy(bytes, gap, spread, 16 - (filled - gap), filled - gap);
        return spread;
    }

    private static boolean dottedTail(String text, int start, byte[] bytes, int at) {
        int address = plainV4(text, start);
        if (address == 0 && !text.substring(start).equals("0.0.0.0")) {
            return false;
        }
        for (int i = 0; i < 4; i++) {
            bytes[at + i] = (byte) (address >>> 8 * (3 - i));
        }
        return true;
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static String dotted(byte[] bytes, int at) {
        return (bytes[at] & 0xff)
                + "."
                + (bytes[at + 1] & 0xff)
                + "."
                + (bytes[at + 2] & 0xff)
                + "."
                + (bytes[at + 3] & 0xff);
    }
}
