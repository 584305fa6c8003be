package dev.plumbline.probe.registry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.lab.RegistryResponses;
import dev.plumbline.support.CollidingJson;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.constraints.StringLength;
import org.jspecify.annotations.Nullable;

class RdapDomainParserTest {
    @Example
    void parsesADomainObject() {
        assertThat(RdapDomainParser.read(RegistryResponses.RDAP, "example.com"))
                .isEqualTo(new RegistrationRecord(
                        true,
                        "Registrar Test, Inc.",
                        376,
                        Instant.parse("1995-08-14T04:00:00Z"),
                        Instant.parse("2024-08-14T07:01:34Z"),
                        Instant.parse("2035-08-13T04:00:00Z"),
                        List.of("clientDeleteProhibited", "clientTransferProhibited", "ok"),
                        List.of("a.ns.test", "b.ns.test"),
                        true,
                        "abuse@registrar.test",
                        EnumSet.allOf(RegistrationRecord.Part.class)));
    }

    @Example
    void readsNamesWithEqualHashCodes() {
        String object = "{\"ldhName\":\"a.test\",\"status\":[\"ok\"]," + CollidingJson.members() + "}";

        assertThat(read(object).statuses()).containsExactly("ok");
    }

    @Example
    void leavesMissingValuesNull() {
        assertThat(read("{\"objectClassName\":\"domain\",\"ldhName\":\"a.test\"}"))
                .isEqualTo(new RegistrationRecord(
                        true,
                        null,
                        null,
                        null,
                        null,
                        null,
                        List.of(),
                        List.of(),
                        null,
                        null,
                        EnumSet.allOf(RegistrationRecord.Part.class)));
    }

    @Example
    void knowsWhichPartsAreComplete() {
        assertThat(read("{\"ldhName\":\"a.test\",\"events\":[{\"eventAction\":\"expiration\",\"eventDate\":\"soon\"}],"
                                + "\"nameservers\":[{\"ldhName\":\"ns1.test.org\"},{\"unicodeName\":\"ns2.test.org\"}]}")
                        .complete())
                .containsExactly(RegistrationRecord.Part.STATUSES);
    }

    @Example
    void acceptsTheNameInEverySpelling() {
        for (String name : List.of(
                "\"ldhName\":\"XN--BCHER-KVA.Test\"",
                "\"ldhName\":\"xn--bcher-kva.test.\"",
                "\"ldhName\":\"B\u00fccher.test\"",
                "\"ldhName\":null,\"unicodeName\":\"b\u00fccher.test.\"")) {
            assertThat(RdapDomainParser.read("{\"objectClassName\":\"domain\"," + name + "}", "xn--bcher-kva.test"))
                    .as(name)
                    .isNotNull();
        }
    }

    @Example
    void rejectsOtherObjectsAndNames() {
        for (String body : List.of(
                "",
                "null",
                "[]",
                "{}",
                "\"domain\"",
                "<html>",
                "{\"errorCode\":404}",
                "{\"objectClassName\":\"domain\"}",
                "{\"objectClassName\":\"domain\",\"ldhName\":\"b.test\"}",
                "{\"objectClassName\":\"domain\",\"ldhName\":\"test\"}",
                "{\"objectClassName\":\"domain\",\"ldhName\":\"x y\"}",
                "{\"objectClassName\":\"domain\",\"ldhName\":[\"a.test\"]}",
                "{\"objectClassName\":\"nameserver\",\"ldhName\":\"a.test\"}",
                "{\"objectClassName\":\"domain\",\"ldhName\":\"a.test\"} and more",
                "{\"objectClassName\":\"entity\"}")) {
            assertThat(read(body)).as(body).isNull();
        }
    }

    @Example
    void ignoresValuesOfTheWrongType() {
        for (String member : List.of(
                "\"status\":{\"a\":1}",
                "\"status\":[1,null,[],{}]",
                "\"events\":[null,{\"eventAction\":\"expiration\",\"eventDate\":{}}]",
                "\"events\":[{\"eventAction\":\"expiration\",\"eventDate\":\"9999-99-99\"}]",
                "\"nameservers\":[{\"ldhName\":\"not a name\\u0000\"},7]",
                "\"secureDNS\":{\"delegationSigned\":\"yes\"}",
                "\"entities\":[{\"roles\":[\"registrar\"],\"vcardArray\":[\"vcard\",{}],"
                        + "\"publicIds\":[{\"type\":\"IANA Registrar ID\",\"identifier\":\"-1\"}]}]")) {
            RegistrationRecord registration = read("{\"ldhName\":\"a.test\"," + member + "}");

            assertThat(registration).as(member).isNotNull();
            assertThat(registration.expires()).isNull();
            assertThat(registration.nameservers()).isEmpty();
            assertThat(registration.dnssecSigned()).isNull();
            assertThat(registration.ianaId()).isNull();
        }
    }

    @Property(tries = 1000)
    void acceptsArbitraryText(@ForAll @StringLength(max = 1_000) String text) {
        read(text);
    }

    @Property(tries = 2000)
    void acceptsResponsesWithChangedCharacters(
            @ForAll @Size(min = 1, max = 10) List<@IntRange(max = 1_000_000) Integer> changed) {
        StringBuilder text = new StringBuilder(RegistryResponses.RDAP);
        for (int position : changed) {
            text.setCharAt(position % text.length(), (char) (position / text.length() % 256));
        }
        RdapDomainParser.read(text.toString(), "example.com");
    }

    @Example
    void limitsTheWorkForHostileResponses() {
        String entity = "{\"roles\":[\"x\"],\"entities\":[";
        for (String hostile : List.of(
                "[".repeat(1_000_000),
                "{\"ldhName\":\"a.test\",\"entities\":[" + entity.repeat(30_000),
                "{\"ldhName\":\"a.test\",\"entities\":["
                        + (entity + (entity + (entity + "]},").repeat(30) + "{}]},").repeat(30)).repeat(20)
                        + "{}]}",
                "{\"ldhName\":\"a.test\",\"status\":[" + "\"x\",".repeat(250_000) + "\"y\"]}",
                "{\"ldhName\":\"a.test\",\"n\":" + "9".repeat(900_000) + "}")) {
            RegistrationRecord registration = read(hostile);

            assertThat(registration == null || registration.statuses().size() <= 100)
                    .isTrue();
        }
    }

    private static @Nullable RegistrationRecord read(String body) {
        return RdapDomainParser.read(body, "a.test");
    }
}
