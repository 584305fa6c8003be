package dev.plumbline.probe.registry;

import dev.plumbline.target.IpAddressText;
import java.math.BigInteger;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The RDAP servers of address blocks of one family or of AS numbers (RFC 9224 sections 5.1 to 5.3).
 *
 * @param ranges the smallest first
 */
record RdapRanges(List<Range> ranges) {
    /** IANA's registries have fewer than 250 blocks each. */
    static final int MAX_RANGES = 5_000;

    private static final Pattern AS_NUMBERS = Pattern.compile("([0-9]{1,10})(?:-([0-9]{1,10}))?");

    record Range(BigInteger first, BigInteger last, String server) {
        boolean contains(BigInteger number) {
            return number.compareTo(first) >= 0 && number.compareTo(last) <= 0;
        }

        BigInteger size() {
            return last.subtract(first);
        }
    }

    /**
     * @param servers by CIDR block, AS number or range of AS numbers
     * @throws IllegalArgumentException if there is no valid block or range
     */
    static RdapRanges of(Map<String, String> servers) {
        List<Range> ranges = new ArrayList<>();
        servers.forEach((text, server) -> {
            Range range = text.indexOf('/') >= 0 ? block(text, server) : asNumbers(text, server);
            if (range != null && ranges.size() < MAX_RANGES) {
                ranges.add(range);
            }
        });
        if (ranges.isEmpty()) {
            throw new IllegalArgumentException("contains no RDAP server");
        }
        ranges.sort(Comparator.comparing(Range::size));
        return new RdapRanges(List.copyOf(ranges));
    }

    private static @Nullable Range block(String text, String server) {
        int slash = text.indexOf('/');
        InetAddress address = IpAddressText.parse(text.substring(0, slash));
        String length = text.substring(slash + 1);
        int bits = address == null ? 0 : address.getAddress().length * 8;
        if (address == null || !length.matches("[0-9]{1,3}") || Integer.parseInt(length) > bits) {
            return null;
        }
        int hostBits = bits - Integer.parseInt(length);
        BigInteger first = number(address).shiftRight(hostBits).shiftLeft(hostBits);
        return new Range(first, first.add(BigInteger.ONE.shiftLeft(hostBits)).subtract(BigInteger.ONE), server);
    }

    private static @Nullable Range asNumbers(String text, String server) {
        Matcher matcher = AS_NUMBERS.matcher(text);
        if (!matcher.matches()) {
            return null;
        }
        BigInteger first = new BigInteger(matcher.group(1));
        BigInteger last = matcher.group(2) == null ? first : new BigInteger(matcher.group(2));
        return last.compareTo(first) < 0 ? null : new Range(first, last, server);
    }

    static BigInteger number(InetAddress address) {
        return new BigInteger(1, address.getAddress());
    }

    Optional<String> serverOf(InetAddress address) {
        return find(number(address));
    }

    Optional<String> serverOf(long asNumber) {
        return find(BigInteger.valueOf(asNumber));
    }

    private Optional<String> find(BigInteger number) {
        return ranges.stream()
                .filter(range -> range.contains(number))
                .map(Range::server)
                .findFirst();
    }
}
