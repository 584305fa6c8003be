package dev.plumbline.module.dns;

import com.google.common.base.CharMatcher;
import com.google.common.io.BaseEncoding;
import dev.plumbline.target.IpAddressText;
import java.net.InetAddress;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Recognizes hostnames that providers generate from the address, for example {@code 192-0-2-1.dynamic.example.net}. */
final class GenericHostname {
    private static final CharMatcher SEPARATORS = CharMatcher.anyOf(".-_x");

    private GenericHostname() {}

    /** Whether the name contains all parts of the address, in either order. */
    static boolean isGeneric(String name, InetAddress ip) {
        String lower = name.toLowerCase(Locale.ROOT);
        byte[] bytes = ip.getAddress();
        String hex = BaseEncoding.base16().lowerCase().encode(bytes);
        if (bytes.length == 4) {
            return lower.contains(hex)
                    || contains(lower, "[.x_-]", 0, 1, 2, 3, bytes)
                    || contains(lower, "[.x_-]", 3, 2, 1, 0, bytes)
                    || lower.contains(padded(bytes));
        }
        String digits = SEPARATORS.removeFrom(lower);
        return digits.contains(hex)
                || digits.contains(new StringBuilder(hex).reverse())
                || lower.contains(ip.getHostAddress().replace(':', '-'))
                || lower.contains(IpAddressText.format(ip).replace(':', '-'));
    }

    /** Whether the numbers occur one after the other, with optional leading zeros. */
    private static boolean contains(String name, String separator, int a, int b, int c, int d, byte[] bytes) {
        String numbers = IntStream.of(a, b, c, d)
                .mapToObj(i -> "0{0,2}" + (bytes[i] & 0xff))
                .collect(Collectors.joining(separator));
        return Pattern.compile("(?<![0-9])" + numbers + "(?![0-9])")
                .matcher(name)
                .find();
    }

    /** Four numbers of three digits. */
    private static String padded(byte[] bytes) {
        return String.format(
                Locale.ROOT, "%03d%03d%03d%03d", bytes[0] & 0xff, bytes[1] & 0xff, bytes[2] & 0xff, bytes[3] & 0xff);
    }
}
