package dev.plumbline.probe.routing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.probe.routing.RouteValidity.State;
import dev.plumbline.target.IpAddressText;
import dev.plumbline.target.IpPrefix;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Validation of routes (RFC 6811), also compared with a search through all payloads. */
class VrpTableTest {
    private static IpPrefix prefix(String text) {
        return Objects.requireNonNull(IpPrefix.parse(text), text);
    }

    private static VrpTable table(String... payloads) {
        VrpTable.Builder builder = new VrpTable.Builder();
        for (String payload : payloads) {
            String[] parts = payload.split(" ");
            builder.add(prefix(parts[0]), Integer.parseInt(parts[1]), Long.parseLong(parts[2]));
        }
        return builder.build();
    }

    /** The examples of RFC 6811 section 2 and RFC 6483 section 4, for both families. */
    @ParameterizedTest
    @CsvSource({
        "192.0.2.0/24, 64496, VALID",
        "192.0.2.0/25, 64496, INVALID",
        "192.0.2.0/24, 64497, INVALID",
        "192.0.0.0/16, 64496, NOT_FOUND",
        "192.0.3.0/24, 64496, NOT_FOUND",
        "198.51.100.0/22, 64498, VALID",
        "198.51.100.128/25, 64498, INVALID",
        "198.51.100.0/24, 64498, VALID",
        "198.51.100.0/24, 4294967295, VALID",
        "203.0.113.0/24, 0, INVALID",
        "203.0.113.0/24, 64496, INVALID",
        "10.1.2.0/24, 64499, VALID",
        "2001:db8::/32, 64500, VALID",
        "2001:db8:1::/48, 64500, VALID",
        "2001:db8:1::/49, 64500, INVALID",
        "2001:db8:2:3::/64, 64501, VALID",
        "2001:db8:2:3:8000::/65, 64501, VALID",
        "2001:db8:2:3:8000::/66, 64501, INVALID",
        "2001:db9::/32, 64500, NOT_FOUND",
        "2001:d00::/24, 64500, NOT_FOUND",
        "0.0.0.0/0, 64499, NOT_FOUND",
        "10.0.0.0/8, 64499, VALID",
        "c000:200::/24, 64496, NOT_FOUND",
    })
    void validatesRoutes(String route, long asn, State state) {
        VrpTable table = table(
                "2001:db8:2:3::/64 65 64501",
                "192.0.2.0/24 24 64496",
                "198.51.100.0/24 24 4294967295",
                "10.0.0.0/8 24 64499",
                "198.51.100.0/22 24 64498",
                "203.0.113.0/24 24 0",
                "2001:db8::/32 48 64500");

        assertThat(table.validate(prefix(route), asn).state()).isEqualTo(state);
    }

    @Test
    void returnsTheCoveringPayloadsShortestFirst() {
        VrpTable table = table("10.0.0.0/16 24 2", "10.0.0.0/8 8 1", "10.0.0.0/24 24 3", "10.0.0.0/16 16 4");

        RouteValidity validity = table.validate(prefix("10.0.0.0/16"), 9);

        assertThat(validity.covering()).extracting(Vrp::asn).containsExactlyInAnyOrder(1L, 2L, 4L);
        assertThat(validity.covering().get(0)).isEqualTo(new Vrp(prefix("10.0.0.0/8"), 8, 1));
        assertThat(table.size()).isEqualTo(4);
    }

    @Test
    void limitsTheReturnedPayloadsToTheOriginAndOtherAutonomousSystems() {
        String[] payloads = new String[100];
        for (int i = 0; i < payloads.length; i++) {
            payloads[i] = "10.0.0.0/8 " + (8 + i % 2) + " " + (i / 2 + 1);
        }
        VrpTable table = table(payloads);

        RouteValidity invalid = table.validate(prefix("10.0.0.0/16"), 50);
        RouteValidity unknown = table.validate(prefix("10.0.0.0/16"), 99);

        assertThat(invalid.covering()).hasSize(RouteValidity.MAX_COVERING + 1).doesNotHaveDuplicates();
        assertThat(invalid.covering()).contains(new Vrp(prefix("10.0.0.0/8"), 9, 50));
        assertThat(invalid.complete()).isFalse();
        assertThat(unknown.covering()).hasSize(RouteValidity.MAX_COVERING);
        assertThat(table("10.0.0.0/8 8 1", "10.0.0.0/8 8 0")
                        .validate(prefix("10.0.0.0/8"), 2)
                        .complete())
                .isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "192.0.2.0/24, 192.0.2.0/24",
        "0.0.0.0/0, 0.0.0.0/0",
        "255.255.255.255/32, 255.255.255.255/32",
        "2001:DB8:0::/32, 2001:db8::/32",
        "2001:db8::1/128, 2001:db8::1/128",
        "::/0, ::/0",
        "::ffff:192.0.2.0/120, ::ffff:192.0.2.0/120",
        "192.0.2.1/24, -",
        "2001:db8::1/64, -",
        "192.0.2.0/33, -",
        "2001:db8::/129, -",
        "192.0.2.0, -",
        "192.0.2.0/, -",
        "192.0.2.0/+1, -",
        "192.0.2.0/0024, -",
        "192.0.2/24, -",
        "example.com/24, -",
        "/24, -",
        "' 192.0.2.0/24', -",
        "192.0.2.0/24/24, -",
    })
    void parsesPrefixes(String text, String canonical) {
        assertThat(String.valueOf(IpPrefix.parse(text))).isEqualTo(canonical.equals("-") ? "null" : canonical);
    }

    /** Few bits vary, so that many prefixes contain each other. */
    private static IpPrefix randomPrefix(Random random, boolean v4) {
        byte[] bytes = new byte[v4 ? 4 : 16];
        int position = random.nextInt(bytes.length);
        bytes[position] = (byte) (random.nextInt(4) << random.nextInt(7));
        bytes[0] |= (byte) (random.nextInt(2) << 7);
        int bits = random.nextInt(8 * bytes.length + 1);
        return IpPrefix.of(IpAddressText.of(bytes)).truncate(bits);
    }

    /** The prefix as a range of numbers. */
    private static boolean contains(IpPrefix outer, IpPrefix inner) {
        return outer.v4() == inner.v4()
                && outer.length() <= inner.length()
                && number(outer)
                        .shiftRight(bits(outer) - outer.length())
                        .equals(number(inner).shiftRight(bits(inner) - outer.length()));
    }

    private static int bits(IpPrefix prefix) {
        return prefix.v4() ? 32 : 128;
    }

    private static BigInteger number(IpPrefix prefix) {
        String text = prefix.toString();
        return new BigInteger(
                1, IpAddressText.of(text.substring(0, text.indexOf('/'))).getAddress());
    }

    @Property(tries = 300)
    void agreesWithASearchThroughAllPayloads(@ForAll long seed) {
        Random random = new Random(seed);
        List<Vrp> payloads = new ArrayList<>();
        VrpTable.Builder builder = new VrpTable.Builder();
        int count = random.nextInt(200);
        for (int i = 0; i < count; i++) {
            IpPrefix prefix = randomPrefix(random, random.nextBoolean());
            int maxLength = prefix.length() + random.nextInt(bits(prefix) - prefix.length() + 1);
            Vrp payload = new Vrp(prefix, maxLength, random.nextInt(4));
            payloads.add(payload);
            builder.add(payload.prefix(), payload.maxLength(), payload.asn());
        }
        VrpTable table = builder.build();

        for (int i = 0; i < 50; i++) {
            IpPrefix route = randomPrefix(random, random.nextBoolean());
            long asn = random.nextInt(4);
            List<Vrp> covering = payloads.stream()
                    .filter(payload -> contains(payload.prefix(), route))
                    .toList();
            boolean valid = covering.stream()
                    .anyMatch(payload -> asn != 0 && payload.asn() == asn && route.length() <= payload.maxLength());

            RouteValidity validity = table.validate(route, asn);

            assertThat(validity.state())
                    .as("%s from AS%s with %s", route, asn, payloads)
                    .isEqualTo(valid ? State.VALID : covering.isEmpty() ? State.NOT_FOUND : State.INVALID);
            assertThat(validity.covering()).isSubsetOf(covering);
            assertThat(validity.covering())
                    .extracting(Vrp::asn)
                    .containsExactlyInAnyOrderElementsOf(
                            covering.stream().map(Vrp::asn).distinct().toList());
            for (Vrp longest : validity.covering()) {
                assertThat(covering)
                        .filteredOn(payload -> payload.asn() == longest.asn())
                        .allMatch(payload -> payload.maxLength() <= longest.maxLength());
            }
        }
    }
}
