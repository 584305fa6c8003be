package dev.plumbline.module.dns;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.CheckError;
import dev.plumbline.check.ErrorCode;
import dev.plumbline.check.Evaluation;
import dev.plumbline.check.Finding;
import dev.plumbline.dns.DnsResponse;
import dev.plumbline.lab.DnsResponses;
import dev.plumbline.module.dns.DnsRecords.Evidence;
import dev.plumbline.module.dns.DnsRecords.Lookup;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Type;

/** What is made of answers, without asking anybody. */
class DnsRecordsEvaluationTest {
    static Stream<Arguments> cases() {
        return Stream.of(
                seen(
                        "alias_with_other_records",
                        "CNAME a.example.com. 60 IN CNAME b.test.",
                        "MX a.example.com. 60 IN MX 1 m.test."),
                seen("alias_at_apex", "CNAME example.com. 60 IN CNAME b.test.", "MX example.com. 60 IN MX 1 m.test."),
                seen("alias_at_apex", "A example.com. 60 IN CNAME b.test.|b.test. 60 IN A 1.1.1.1"),
                seen("several_aliases", "CNAME a.example.com. 60 IN CNAME b.test.|a.example.com. 60 IN CNAME c.test."),
                seen(
                        "long_alias_chain",
                        "A a.example.com. 60 IN CNAME b.test.|b.test. 60 IN CNAME c.test.|c.test. 60 IN CNAME d.test.|d.test. 60 IN A 1.1.1.1"),
                seen("-", "A a.example.com. 60 IN CNAME b.test.|b.test. 60 IN A 1.1.1.1"),
                seen("single_name_server", "NS a.example.com. 60 IN NS ns.test."),
                seen("-", "NS a.example.com. 60 IN NS ns.test.|a.example.com. 60 IN NS ns2.test."),
                seen("ttls_differ", "NS a.example.com. 60 IN NS ns.test.|a.example.com. 61 IN NS ns2.test."),
                seen("no_ipv6", "A a.example.com. 60 IN A 1.1.1.1", "AAAA"),
                seen("-", "A a.example.com. 60 IN A 1.1.1.1"),
                seen("no_records", "A", "AAAA"),
                seen("short_ttl", "MX a.example.com. 59 IN MX 0 ."),
                seen("long_ttl", "MX a.example.com. 604801 IN MX 0 ."),
                seen("denied_though_it_exists", "A a.example.com. 60 IN A 1.1.1.1", "CAA!"),
                seen(
                        "dangling_alias",
                        "CNAME a.example.com. 60 IN CNAME b.test.",
                        "A! a.example.com. 60 IN CNAME b.test."),
                seen("dangling_alias", "A! a.example.com. 60 IN CNAME b.test."),
                seen("name_does_not_exist", "A!", "MX!"));
    }

    private static Arguments seen(String codes, String... asked) {
        return Arguments.of(codes, List.of(asked));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void judges(String codes, List<String> asked) {
        String name = asked.toString().contains(" example.com.") ? "example.com" : "a.example.com";
        List<Lookup> all = new ArrayList<>();
        for (String one : asked) {
            String[] parts = one.split(" ", 2);
            String type = parts[0].replace("!", "");
            int rcode = parts[0].endsWith("!") ? Rcode.NXDOMAIN : Rcode.NOERROR;
            String[] lines = parts.length < 2 ? new String[0] : parts[1].split("\\|");
            all.add(new Lookup(type, DnsResponses.answer(name, type, rcode, lines), null));
        }

        Evaluation judgement = evaluate(new Evidence(name, all, null, null));

        assertThat(codes(judgement)).isEqualTo(codes.equals("-") ? List.of() : Arrays.asList(codes.split(" ")));
    }

    @ParameterizedTest
    @CsvSource({
        "foo.azurewebsites.net, false",
        "foo.github.io, false",
        "www.foo.co.uk, false",
        "foo.co.uk, true",
        "foo.com, true"
    })
    void onlyARegisteredDomainIsTakenForTheTopOfAZone(String name, boolean apex) {
        DnsResponse alias = DnsResponses.answer(name, "CNAME", name + ". 60 IN CNAME b.test.");

        Evaluation judgement = evaluate(new Evidence(name, List.of(new Lookup("CNAME", alias, null)), null, null));

        assertThat(codes(judgement).contains("alias_at_apex")).isEqualTo(apex);
    }

    @Test
    void oneTypeThatIsDeniedDoesNotMakeTheNameGone() {
        Evidence seen = new Evidence(
                "a.example.com",
                List.of(
                        new Lookup("CAA", DnsResponses.answer("a.example.com", "CAA", Rcode.NXDOMAIN), null),
                        new Lookup(
                                "A",
                                DnsResponses.answer("a.example.com", "A", "a.example.com. 60 IN A 1.1.1.1"),
                                null)),
                null,
                null);

        assertThat(evaluate(seen).fields()).containsEntry("rcode", "NOERROR");
        assertThat(evaluate(seen).error()).isNull();
    }

    @Test
    void saysThatThereIsAWildcard() {
        Evidence seen = new Evidence(
                "a.test",
                List.of(new Lookup("A", DnsResponses.answer("a.test", "A"), null)),
                new Lookup("A", DnsResponses.answer("x.a.test", "A", "x.a.test. 60 IN A 1.1.1.1"), null),
                null);

        assertThat(evaluate(seen).fields()).containsEntry("wildcard", true);
        assertThat(codes(evaluate(seen))).contains("wildcard");
    }

    @Test
    void whatWasTooMuchToAskLeavesTheQuestionOpen() {
        CheckError limit = new CheckError(ErrorCode.REQUEST_LIMIT, "Too much.");
        DnsResponse known = DnsResponses.answer("a.test", "A", "a.test. 60 IN A 1.1.1.1");

        Evaluation judgement = evaluate(new Evidence(
                "a.test", List.of(new Lookup("A", known, null), new Lookup("MX", null, limit)), null, null));

        assertThat(judgement.error()).isEqualTo(limit);
    }

    @Test
    void theFirstFailureIsToldWhenNothingWasAnswered() {
        CheckError timeout = new CheckError(ErrorCode.DNS_TIMEOUT, "Late.");
        Evidence seen = new Evidence(
                "a.test", List.of(new Lookup("A", null, timeout), new Lookup("MX", null, timeout)), null, null);

        assertThat(evaluate(seen).error()).isEqualTo(timeout);
        assertThat(evaluate(seen).fields()).containsEntry("rcode", null);
    }

    @Test
    void anAnswerThatCameTooLateLeavesTheQuestionOpen() {
        CheckError timeout = new CheckError(ErrorCode.DNS_TIMEOUT, "Late.");
        Evidence seen = new Evidence(
                "a.test",
                List.of(
                        new Lookup("A", DnsResponses.answer("a.test", "A", "a.test. 60 IN A 1.1.1.1"), null),
                        new Lookup("TXT", null, timeout)),
                null,
                null);

        assertThat(evaluate(seen).error()).isEqualTo(timeout);
        assertThat(evaluate(seen).fields().get("records").toString()).contains("1.1.1.1");
        assertThat(codes(evaluate(seen))).containsExactly("types_unanswered");
    }

    @Property(tries = 5000)
    void whateverARecordHoldsIsTold(@ForAll("types") String type, @ForAll @Size(max = 80) byte[] data) {
        Record record;
        try {
            record = Record.newRecord(
                    Name.fromConstantString("a.example.com."), Type.value(type), DClass.IN, 60, data.length, data);
            record.rdataToWireCanonical();
        } catch (RuntimeException malformed) {
            return; // no message that holds it is ever read
        }
        DnsResponse empty = DnsResponses.answer("a.example.com", type);
        DnsResponse answer = new DnsResponse(
                empty.name(), empty.type(), Rcode.NOERROR, List.of(), List.of(record), List.of(), false, false, 60, 1);

        Evaluation judgement =
                evaluate(new Evidence("a.example.com", List.of(new Lookup(type, answer, null)), null, null));

        assertThat(((Map<?, ?>) judgement.fields().get("records")).containsKey(type))
                .isTrue();
    }

    @Provide
    Arbitrary<String> types() {
        return Arbitraries.of(Stream.concat(DnsRecords.USUAL.stream(), DnsRecords.UNUSUAL.stream())
                .toList());
    }

    private static Evaluation evaluate(Evidence seen) {
        return new DnsRecordsEvaluation(seen).judgement();
    }

    private static List<String> codes(Evaluation judgement) {
        return judgement.findings().stream().map(Finding::code).toList();
    }
}
