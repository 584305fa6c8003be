package dev.plumbline.probe.routing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.collect.Iterators;
import dev.plumbline.target.IpPrefix;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class VrpReaderTest {
    private static final Instant NOW = Instant.parse("2026-11-27T00:00:00Z");

    private static final String ROUTINATOR =
            """
            {
              "metadata": { "generated": 1795737000, "generatedTime": "2026-11-26T23:50:00Z" },
              "roas": [
                { "asn": "AS64496", "prefix": "192.0.2.0/24", "maxLength": 24, "ta": "ripe" },
                { "asn": "AS4294967295", "prefix": "2001:db8::/32", "maxLength": 48,
                  "source": [ { "type": "roa", "uri": "rsync://a.test/b.roa", "validity": { "notBefore": "x" } }, null ] }
              ],
              "routerKeys": [ { "asn": "AS1", "SKI": "00", "routerPublicKey": "AA==" } ],
              "aspas": [ { "customer": "AS1", "providers": ["AS2"] } ]
            }
            """;

    private static final String RPKI_CLIENT =
            """
            {
              "metadata": { "buildmachine": "r", "buildtime": "2026-11-26T23:50:00Z", "roas": 2, "vrps": 3,
                "ccr": { "roas": [] } },
              "roas": [
                { "asn": 64496, "prefix": "192.0.2.0/24", "maxLength": 24, "ta": "ripe", "expires": 1800000000 },
                { "asn": 4294967295, "prefix": "2001:db8::/32", "maxLength": 48, "ta": "ripe", "expires": 1800000000 },
                { "asn": 64497, "prefix": "192.0.2.0/24", "maxLength": 24, "ta": "ripe", "expires": 1795000000 }
              ],
              "bgpsec_keys": [], "provider_authorizations": { "ipv4": [], "ipv6": [] }
            }
            """;

    private static VrpReader.Contents read(String json) throws IOException {
        return VrpReader.read(new ByteArrayInputStream(json.getBytes(StandardCharsets.UTF_8)), NOW);
    }

    private static String roas(String... entries) {
        return "{\"roas\":[" + String.join(",", entries) + "]}";
    }

    private static String entry(String asn, String prefix, String maxLength) {
        return "{\"asn\":" + asn + ",\"prefix\":" + prefix + ",\"maxLength\":" + maxLength + "}";
    }

    @ParameterizedTest
    @ValueSource(strings = {ROUTINATOR, RPKI_CLIENT})
    void readsBothFormatsWithoutExpiredPayloads(String json) throws IOException {
        VrpReader.Contents contents = read(json);

        assertThat(contents.generated()).isEqualTo("2026-11-26T23:50:00Z");
        assertThat(contents.table().size()).isEqualTo(2);
        assertThat(covering(contents.table(), "192.0.2.0/24"))
                .containsExactly(new Vrp(prefix("192.0.2.0/24"), 24, 64496));
        assertThat(covering(contents.table(), "2001:db8::/32"))
                .containsExactly(new Vrp(prefix("2001:db8::/32"), 48, 4294967295L));
    }

    private static IpPrefix prefix(String text) {
        return Objects.requireNonNull(IpPrefix.parse(text));
    }

    private static List<Vrp> covering(VrpTable table, String prefix) {
        return table.validate(prefix(prefix), 1).covering();
    }

    /** Each of them would change the validity of a route if it was ignored. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "1 | \"192.0.2.0/24\" | \"24\" | entry 2 of `roas` does not have a valid `maxLength`",
                "1 | \"192.0.2.0/24\" | 33 | maxLength",
                "1 | \"192.0.2.0/24\" | 23 | maxLength",
                "1 | \"192.0.2.0/24\" | 24.0 | maxLength",
                "1 | \"192.0.2.0/24\" | null | maxLength",
                "1 | \"192.0.2.0/24\" | 4294967320 | maxLength",
                "1 | \"192.0.2.0/24\" | 99999999999999999999 | maxLength",
                "1 | \"192.0.2.0/24\" | [24] | maxLength",
                "1 | \"2001:db8::/32\" | 129 | maxLength",
                "-1 | \"192.0.2.0/24\" | 24 | asn",
                "4294967296 | \"192.0.2.0/24\" | 24 | asn",
                "\"AS4294967296\" | \"192.0.2.0/24\" | 24 | asn",
                "\"AS\" | \"192.0.2.0/24\" | 24 | asn",
                "\"AS-1\" | \"192.0.2.0/24\" | 24 | asn",
                "\"AS1.5\" | \"192.0.2.0/24\" | 24 | asn",
                "\"\" | \"192.0.2.0/24\" | 24 | asn",
                "true | \"192.0.2.0/24\" | 24 | asn",
                "{\"asn\":1} | \"192.0.2.0/24\" | 24 | asn",
                "1 | \"192.0.2.1/24\" | 24 | prefix",
                "1 | \"192.0.2.0\" | 24 | prefix",
                "1 | 7 | 24 | prefix",
                "1 | {} | 24 | prefix",
                "1 | [\"192.0.2.0/24\"] | 24 | prefix",
                "1 | \"\" | 24 | prefix",
            })
    void rejectsAPayloadThatIsNotUnderstood(String asn, String prefix, String maxLength, String message) {
        String good = entry("1", "\"192.0.2.0/24\"", "24");

        assertThatThrownBy(() -> read(roas(good, entry(asn, prefix, maxLength), good)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\0',
            value = {
                "[] | is not a JSON object",
                "null | is not a JSON object",
                "'' | is not a JSON object",
                "{} | `roas` is missing",
                "{\"roas\":[]} | `roas` does not contain a payload",
                "{\"roas\":{}} | `roas` is not an array",
                "{\"roas\":null} | `roas` is not an array",
                "{\"roas\":[7]} | entry 1 of `roas` is not an object",
                "{\"roas\":[[]]} | entry 1 of `roas` is not an object",
                "{\"roas\":[{}]} | entry 1 of `roas` does not have a valid `asn`",
                "{\"roas\":[{\"prefix\":\"192.0.2.0/24\",\"maxLength\":24}]} | asn",
                "{\"roas\":[{\"asn\":1,\"maxLength\":24}]} | prefix",
                "{\"roas\":[{\"asn\":1,\"prefix\":\"192.0.2.0/24\"}]} | maxLength",
                "{\"roas\":[{\"asn\":1,\"prefix\":\"192.0.2.0/24\",\"maxLength\":24,\"expires\":\"x\"}]} | expires",
                "{\"roas\":[{\"asn\":1,\"prefix\":\"192.0.2.0/24\",\"maxLength\":24}]} x | JSON is not valid",
                "{\"roas\":[{\"asn\":1,\"prefix\":\"192.0.2.0/24\",\"maxLength\":24}]} {} | continues after",
                "{\"roas\":[{\"asn\":1,\"prefix\":\"192.0.2.0/24\",\"maxLength\":24}],\"roas\":[]} | occurs twice",
                "{\"metadata\":{\"buildtime\":\"today\"},\"roas\":[]} | `buildtime` is not a time",
                "<html> | JSON is not valid",
            })
    void rejectsAnotherFile(String json, String message) {
        assertThatThrownBy(() -> read(json.equals("''") ? "" : json))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(message);
    }

    /** A file that is cut off must not look like one with fewer payloads. */
    @Property(tries = 500)
    void rejectsEveryTruncatedFile(@ForAll @IntRange(min = 0, max = 700) int length) {
        for (String json : List.of(ROUTINATOR.strip(), RPKI_CLIENT.strip())) {
            if (length < json.length()) {
                assertThatThrownBy(() -> read(json.substring(0, length))).isInstanceOf(IOException.class);
            }
        }
    }

    @Property(tries = 500)
    void neverFailsWithAnotherException(
            @ForAll @IntRange(min = 0, max = 600) int position, @ForAll @IntRange(min = 0, max = 255) int value) {
        for (String json : List.of(ROUTINATOR, RPKI_CLIENT)) {
            byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
            bytes[position % bytes.length] = (byte) value;
            try {
                assertThat(VrpReader.read(new ByteArrayInputStream(bytes), NOW)).isNotNull();
            } catch (IOException rejected) {
                assertThat(rejected).hasMessageNotContaining("\n");
            }
        }
    }

    @Test
    void limitsNestingAndLengths() {
        for (String other : List.of(
                "[".repeat(100_000),
                "{\"a\":".repeat(100_000),
                "\"" + "x".repeat(1 << 20) + "\"",
                "1".repeat(1 << 20))) {
            assertThatThrownBy(() -> read("{\"roas\":[{\"asn\":" + other)).isInstanceOf(IOException.class);
        }
        assertThatThrownBy(() -> read("{\"" + "x".repeat(1 << 20) + "\":1")).isInstanceOf(IOException.class);
    }

    /** A stream of texts that are created when they are read. */
    private static InputStream stream(Stream<String> texts) {
        return new SequenceInputStream(Iterators.asEnumeration(
                texts.map(text -> (InputStream) new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)))
                        .iterator()));
    }

    @Test
    void limitsTheNumberOfPayloads() {
        String thousand = (entry("1", "\"192.0.2.0/24\"", "24") + ",").repeat(1_000);

        assertThatThrownBy(() -> VrpReader.read(
                        stream(Stream.concat(
                                Stream.of("{\"roas\":["),
                                Stream.generate(() -> thousand).limit(2_001))),
                        NOW))
                .hasMessageContaining("more than 2000000 payloads");
    }

    @Test
    void readsAMillionPayloadsInReverseOrder() throws IOException {
        int count = 1_000_000;
        Stream<String> entries = IntStream.range(0, count).mapToObj(i -> {
            int number = count - 1 - i;
            String prefix = "\"" + (1 + (number >> 16)) + "." + (number >> 8 & 255) + "." + (number & 255) + ".0/24\"";
            return (i == 0 ? "{\"roas\":[" : ",") + entry("\"AS" + number + "\"", prefix, "24");
        });

        VrpTable table = VrpReader.read(stream(Stream.concat(entries, Stream.of("]}"))), NOW)
                .table();

        assertThat(table.size()).isEqualTo(count);
        assertThat(covering(table, "1.0.0.0/24")).extracting(Vrp::asn).containsExactly(0L);
        assertThat(covering(table, "16.66.63.0/24")).extracting(Vrp::asn).containsExactly(999_999L);
        assertThat(covering(table, "3.4.5.0/24")).extracting(Vrp::asn).containsExactly(0x020405L);
        assertThat(covering(table, "16.66.64.0/24")).isEmpty();
    }
}
