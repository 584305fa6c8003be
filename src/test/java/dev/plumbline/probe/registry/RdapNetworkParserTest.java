package dev.plumbline.probe.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import com.google.common.primitives.Ints;
import dev.plumbline.lab.RdapNetworks;
import dev.plumbline.target.IpAddressText;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.constraints.StringLength;
import org.jspecify.annotations.Nullable;

class RdapNetworkParserTest {
    private static @Nullable NetworkRegistration read(String body, String ip) {
        return RdapNetworkParser.network(body, IpAddressText.parse(ip));
    }

    private static String range(String first, String last, String members) {
        return "{\"startAddress\":\"%s\",\"endAddress\":\"%s\"%s}".formatted(first, last, members);
    }

    @Example
    void parsesTheExamplesOfTheStandard() {
        assertThat(read(RdapNetworks.RFC_NETWORK, "2001:db8:0:1::1"))
                .isEqualTo(new NetworkRegistration(
                        "2001:db8::/48", "NET-RTR-1", "Example", "AU", null, List.of(), false, true));
        assertThat(read(RdapNetworks.RFC_NETWORK, "2001:db8:1::1")).isNull();
        assertThat(RdapNetworkParser.asName(RdapNetworks.RFC_AUTNUM, 65536)).isEqualTo("AS-RTR-1");
        assertThat(RdapNetworkParser.asName(RdapNetworks.RFC_AUTNUM, 65542)).isNull();
    }

    @Example
    void parsesTheFormsOfRegistries() {
        assertThat(read(
                        RdapNetworks.arin("8.8.8.0", "8.8.8.255", "GOGL", "Google LLC", "abuse@google.test", "15169"),
                        "8.8.8.8"))
                .isEqualTo(new NetworkRegistration(
                        "8.8.8.0/24", "GOGL", "Google LLC", null, "abuse@google.test", List.of(15169L), false, true));
        assertThat(read(
                        RdapNetworks.ripe("193.0.0.0", "193.0.7.255", "RIPE-NCC", "NL", "RIPE NCC", "abuse@ripe.test"),
                        "193.0.6.139"))
                .isEqualTo(new NetworkRegistration(
                        "193.0.0.0/21", "RIPE-NCC", "RIPE NCC", "NL", "abuse@ripe.test", List.of(), false, true));
    }

    @Example
    void findsTheBlockInARange() {
        assertThat(read(range("8.0.0.1", "8.0.0.6", ""), "8.0.0.4").cidr()).isEqualTo("8.0.0.4/31");
        assertThat(read(range("8.0.0.0", "8.0.2.255", ""), "8.0.1.9").cidr()).isEqualTo("8.0.0.0/23");
        assertThat(read(range("8.0.0.0", "8.0.2.255", ""), "8.0.2.9").cidr()).isEqualTo("8.0.2.0/24");
        assertThat(read(range("0.0.0.0", "255.255.255.255", ""), "8.0.2.9").coversAllAddresses())
                .isTrue();
        assertThat(read(range("2001:db8::1", "2001:db8::1", ""), "2001:db8::1").cidr())
                .isEqualTo("2001:db8::1/128");
        String cidr =
                "{\"cidr0_cidrs\":[{\"v4prefix\":\"8.0.0.0\",\"length\":25},{\"v4prefix\":\"8.0.1.0\",\"length\":24}]}";
        assertThat(read(cidr, "8.0.1.9").cidr()).isEqualTo("8.0.1.0/24");
        assertThat(read(cidr, "8.0.0.200")).isNull();
        assertThat(read("{\"cidr0_cidrs\":[{\"v6prefix\":\"2001:db8::\",\"length\":32}]}", "2001:db8:1::")
                        .cidr())
                .isEqualTo("2001:db8::/32");
    }

    @Property
    void findsALargestBlockInARange(
            @ForAll @IntRange(max = 4095) int a,
            @ForAll @IntRange(max = 4095) int b,
            @ForAll @IntRange(max = 4095) int c) {
        int first = Math.min(a, Math.min(b, c));
        int last = Math.max(a, Math.max(b, c));
        int ip = a + b + c - first - last;
        String cidr = read(range(text(first), text(last), ""), text(ip)).cidr();

        int hostBits = 32 - Integer.parseInt(cidr.substring(cidr.indexOf('/') + 1));
        for (int bits = 0; bits <= 12; bits++) {
            int start = ip >> bits << bits;
            boolean within = start >= first && start + (1 << bits) - 1 <= last;
            assertThat(within).as("%s in %d-%d", cidr, first, last).isEqualTo(bits <= hostBits);
        }
    }

    private static String text(int low) {
        return "8.0." + (low >> 8) + "." + (low & 0xff);
    }

    @Example
    void rejectsOtherObjectsAndRanges() {
        for (String body : List.of(
                "",
                "null",
                "[]",
                "{}",
                "<html>",
                "{\"errorCode\":404}",
                range("8.8.9.0", "8.8.9.255", ""),
                range("8.8.9.0", "8.8.8.0", ""),
                range("2001:db8::", "2001:db8::1", ""),
                range("8.8.8.0", "2001:db8::1", ""),
                range("8.8.8", "8.8.8.255", ""),
                range("8.8.8.0/24", "8.8.8.255", ""),
                range("8.8.8.0", "8.8.8.255", ",\"objectClassName\":\"domain\""),
                range("8.8.8.0", "8.8.8.255", "") + " and more",
                "{\"startAddress\":8,\"endAddress\":[]}",
                "{\"cidr0_cidrs\":[{\"v4prefix\":\"8.0.0.0\",\"length\":-1},{\"v4prefix\":\"8.0.0.0\",\"length\":99},7,null,"
                        + "{\"v6prefix\":\"8.0.0.0\",\"length\":8},{\"v4prefix\":\"8.0.0.0\"}]}")) {
            assertThat(read(body, "8.8.8.8")).as(body).isNull();
        }
    }

    @Example
    void ignoresValuesOfTheWrongType() {
        for (String member : List.of(
                "\"name\":{}",
                "\"country\":\"Germany\"",
                "\"country\":[\"DE\"]",
                "\"status\":{\"a\":1}",
                "\"status\":[1,null,[]]",
                "\"entities\":{\"roles\":[\"abuse\"]}",
                "\"entities\":[7,null,{\"roles\":\"abuse\"},{\"roles\":[\"abuse\"],\"vcardArray\":{}}]",
                "\"entities\":[{\"roles\":[\"abuse\"],\"vcardArray\":[\"vcard\",[[\"email\",{},\"text\",[\"a@b.c\"]]]]}]",
                "\"entities\":[{\"roles\":[\"abuse\"],\"vcardArray\":[\"vcard\",[[\"email\",{},\"text\",\"none\"]]]}]",
                "\"arin_originas0_originautnums\":[\"AS15169\",-1,1e30,null,{}]",
                "\"arin_originas0_originautnums\":15169")) {
            NetworkRegistration network = read(range("8.8.8.0", "8.8.8.255", "," + member), "8.8.8.8");

            assertThat(network).as(member).isNotNull();
            assertThat(network.name()).as(member).isNull();
            assertThat(network.country()).as(member).isNull();
            assertThat(network.org()).as(member).isNull();
            assertThat(network.abuseEmail()).as(member).isNull();
            assertThat(network.reserved()).as(member).isFalse();
            assertThat(network.originAsNumbers()).as(member).isEmpty();
        }
    }

    @Example
    void recognizesIncompleteContacts() {
        String reference = ",\"entities\":[{\"handle\":\"ABUSE\",\"roles\":[\"abuse\"]}]";
        assertThat(read(range("8.8.8.0", "8.8.8.255", reference), "8.8.8.8").complete())
                .isFalse();
        String many = ",\"entities\":[" + "{\"vcardArray\":[]},".repeat(100) + "{\"vcardArray\":[]}]";
        assertThat(read(range("8.8.8.0", "8.8.8.255", many), "8.8.8.8").complete())
                .isFalse();
        assertThat(read(range("8.8.8.0", "8.8.8.255", ",\"status\":[\"active\",\"Reserved\"]"), "8.8.8.8")
                        .reserved())
                .isTrue();
    }

    @Property
    void acceptsArbitraryText(@ForAll @StringLength(max = 1_000) String text) {
        read(text, "8.8.8.8");
        RdapNetworkParser.asName(text, 1);
    }

    @Property(tries = 2000)
    void acceptsResponsesWithChangedCharacters(
            @ForAll @Size(min = 1, max = 10) List<@IntRange(max = 1_000_000) Integer> changed) {
        StringBuilder text = new StringBuilder(
                RdapNetworks.arin("8.8.8.0", "8.8.8.255", "GOGL", "Google LLC", "abuse@google.test", "15169"));
        for (int position : changed) {
            text.setCharAt(position % text.length(), (char) (position / text.length() % 256));
        }
        read(text.toString(), "8.8.8.8");
        RdapNetworkParser.asName(text.toString(), 15169);
    }

    @Example
    void limitsTheWorkForHostileResponses() {
        String entity = "{\"roles\":[\"x\"],\"entities\":[";
        String wide = "{\"roles\":[\"x\"],\"vcardArray\":[\"vcard\",[[\"fn\",{},\"text\",\"x\"]]]},";
        for (String members : List.of(
                ",\"entities\":[" + wide.repeat(10_000) + "{}]",
                ",\"entities\":[" + entity.repeat(30_000),
                ",\"entities\":["
                        + (entity + (entity + (entity + "]},").repeat(30) + "{}]},").repeat(30)).repeat(20)
                        + "{}]",
                ",\"status\":[" + "\"x\",".repeat(250_000) + "\"y\"]",
                ",\"arin_originas0_originautnums\":[" + "1,".repeat(500_000) + "2]",
                ",\"arin_originas0_originautnums\":[" + "9".repeat(900_000) + "]",
                ",\"startAddress\":\"" + ":".repeat(1_000_000) + "\"")) {
            String body = range("8.8.8.0", "8.8.8.255", members);

            NetworkRegistration network = assertTimeoutPreemptively(Duration.ofSeconds(5), () -> read(body, "8.8.8.8"));

            assertThat(network == null || network.originAsNumbers().size() <= 100)
                    .isTrue();
        }
    }

    @Example
    void findsTheSmallestBlockOfTheBootstrapRegistry() {
        // RFC 9224 section 5.2
        RdapRanges ranges = RdapRanges.of(Map.of(
                "2001:db8::/34", "https://rir2.example.com/myrdap/",
                "2001:db8:4000::/36", "https://example.net/rdaprir2/",
                "2001:db8:ffff::/48", "https://example.net/rdaprir2/",
                "2001:db8:1000::/36", "https://example.org/",
                "not-a-block/8", "https://wrong.example.com/",
                "2001:db8::/129", "https://wrong.example.com/"));

        assertThat(ranges.serverOf(IpAddressText.parse("2001:db8:1000::1"))).contains("https://example.org/");
        assertThat(ranges.serverOf(IpAddressText.parse("2001:db8::1"))).contains("https://rir2.example.com/myrdap/");
        assertThat(ranges.serverOf(IpAddressText.parse("2001:db8:8000::"))).isEmpty();
        // section 5.3
        RdapRanges numbers = RdapRanges.of(Map.of(
                "64496-64496", "https://rir3.example.com/myrdap/", "64497-64510", "https://example.org/", "9-1", "x"));
        assertThat(numbers.serverOf(64496)).contains("https://rir3.example.com/myrdap/");
        assertThat(numbers.serverOf(64510)).contains("https://example.org/");
        assertThat(numbers.serverOf(64511)).isEmpty();
        assertThat(numbers.serverOf(5)).isEmpty();
    }

    @Property
    void containsExactlyTheAddressesOfABlock(
            @ForAll @IntRange(max = 32) int length, @ForAll int bits, @ForAll int other) {
        byte[] four = Ints.toByteArray(bits);
        byte[] second = Ints.toByteArray(other);
        RdapRanges ranges =
                RdapRanges.of(Map.of(IpAddressText.format(IpAddressText.of(four)) + "/" + length, "server"));

        assertThat(ranges.serverOf(IpAddressText.of(four))).isPresent();
        boolean same = length == 0 || (bits ^ other) >>> (32 - length) == 0;
        assertThat(ranges.serverOf(IpAddressText.of(second)).isPresent()).isEqualTo(same);
    }
}
