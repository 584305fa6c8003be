package dev.plumbline.module.dns;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.dns.DnsResponse;
import dev.plumbline.lab.DnsResponses;
import dev.plumbline.module.dns.DnsRecords.Evidence;
import dev.plumbline.probe.dns.DnsLookupResult;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.Evaluation;
import dev.plumbline.result.Finding;
import dev.plumbline.sheet.Options;
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

/** Evaluations of recorded responses. */
class DnsRecordsEvaluationTest {
    private static final ModuleDefinition<Evidence> MODULE = SheetModule.load(new DnsRecords());

    static Stream<Arguments> cases() {
        return Stream.of(
                evidence(
                        "alias_with_other_records",
                        "CNAME a.example.com. 60 IN CNAME b.test.",
                        "MX a.example.com. 60 IN MX 1 m.test."),
                evidence(
                        "alias_at_apex",
                        "CNAME example.com. 60 IN CNAME b.test.",
                        "MX example.com. 60 IN MX 1 m.test."),
                evidence("alias_at_apex", "A example.com. 60 IN CNAME b.test.|b.test. 60 IN A 1.1.1.1"),
                evidence(
                        "several_aliases",
                        "CNAME a.example.com. 60 IN CNAME b.test.|a.example.com. 60 IN CNAME c.test."),
                evidence(
                        "long_alias_chain",
                        "A a.example.com. 60 IN CNAME b.test.|b.test. 60 IN CNAME c.test.|c.test. 60 IN CNAME "
                                + "d.test.|d.test. 60 IN A 1.1.1.1"),
                evidence("-", "A a.example.com. 60 IN CNAME b.test.|b.test. 60 IN A 1.1.1.1"),
                evidence("single_nameserver", "NS a.example.com. 60 IN NS ns.test."),
                evidence("-", "NS a.example.com. 60 IN NS ns.test.|a.example.com. 60 IN NS ns2.test."),
                evidence("ttls_differ", "NS a.example.com. 60 IN NS ns.test.|a.example.com. 61 IN NS ns2.test."),
                evidence("no_ipv6", "A a.example.com. 60 IN A 1.1.1.1", "AAAA"),
                evidence("-", "A a.example.com. 60 IN A 1.1.1.1"),
                evidence("no_records", "A", "AAAA"),
                evidence("short_ttl", "MX a.example.com. 59 IN MX 0 ."),
                evidence("long_ttl", "MX a.example.com. 604801 IN MX 0 ."),
                evidence("nxdomain_for_some_types", "A a.example.com. 60 IN A 1.1.1.1", "CAA!"),
                evidence(
                        "dangling_alias",
                        "CNAME a.example.com. 60 IN CNAME b.test.",
                        "A! a.example.com. 60 IN CNAME b.test."),
                evidence("dangling_alias", "A! a.example.com. 60 IN CNAME b.test."),
                evidence("name_does_not_exist", "A!", "MX!"));
    }

    private static Arguments evidence(String codes, String... lookups) {
        return Arguments.of(codes, List.of(lookups));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void evaluatesEachCase(String codes, List<String> lookups) {
        String name = lookups.toString().contains(" example.com.") ? "example.com" : "a.example.com";
        List<DnsLookupResult> all = new ArrayList<>();
        for (String one : lookups) {
            String[] parts = one.split(" ", 2);
            String type = parts[0].replace("!", "");
            int rcode = parts[0].endsWith("!") ? Rcode.NXDOMAIN : Rcode.NOERROR;
            String[] lines = parts.length < 2 ? new String[0] : parts[1].split("\\|");
            all.add(new DnsLookupResult(type, DnsResponses.response(name, type, rcode, lines), null));
        }

        Evaluation evaluation = evaluate(new Evidence(name, all, null, null));

        assertThat(codes(evaluation)).isEqualTo(codes.equals("-") ? List.of() : Arrays.asList(codes.split(" ")));
    }

    @ParameterizedTest
    @CsvSource({
        "foo.azurewebsites.net, false",
        "foo.github.io, false",
        "www.foo.co.uk, false",
        "foo.co.uk, true",
        "foo.com, true"
    })
    void reportsACnameAtTheApexOfRegisteredDomainsOnly(String name, boolean apex) {
        DnsResponse alias = DnsResponses.response(name, "CNAME", name + ". 60 IN CNAME b.test.");

        Evaluation evaluation =
                evaluate(new Evidence(name, List.of(new DnsLookupResult("CNAME", alias, null)), null, null));

        assertThat(codes(evaluation).contains("alias_at_apex")).isEqualTo(apex);
    }

    @Test
    void sortsTheRecordsOfATypeByData() {
        DnsResponse response = DnsResponses.response(
                "a.example.com", "A", "a.example.com. 60 IN A 1.1.1.2", "a.example.com. 60 IN A 1.1.1.1");

        Evaluation evaluation =
                evaluate(new Evidence("a.example.com", List.of(new DnsLookupResult("A", response, null)), null, null));

        assertThat(((Map<?, ?>) evaluation.fields().get("records")).get("A").toString())
                .matches(".*data=1\\.1\\.1\\.1.*data=1\\.1\\.1\\.2.*");
    }

    @Test
    void returnsNoerrorIfOnlyOneTypeIsDenied() {
        Evidence evidence = new Evidence(
                "a.example.com",
                List.of(
                        new DnsLookupResult("CAA", DnsResponses.response("a.example.com", "CAA", Rcode.NXDOMAIN), null),
                        new DnsLookupResult(
                                "A",
                                DnsResponses.response("a.example.com", "A", "a.example.com. 60 IN A 1.1.1.1"),
                                null)),
                null,
                null);

        assertThat(evaluate(evidence).fields()).containsEntry("rcode", "NOERROR");
        assertThat(evaluate(evidence).error()).isNull();
    }

    @Test
    void reportsAWildcard() {
        Evidence evidence = new Evidence(
                "a.test",
                List.of(new DnsLookupResult("A", DnsResponses.response("a.test", "A"), null)),
                new DnsLookupResult("A", DnsResponses.response("x.a.test", "A", "x.a.test. 60 IN A 1.1.1.1"), null),
                null);

        assertThat(evaluate(evidence).fields()).containsEntry("wildcard", true);
        assertThat(codes(evaluate(evidence))).contains("wildcard");
    }

    @Test
    void returnsTheErrorIfTheRequestLimitWasReached() {
        CheckError limit = new CheckError(ErrorCode.REQUEST_LIMIT, "Too much.");
        DnsResponse known = DnsResponses.response("a.test", "A", "a.test. 60 IN A 1.1.1.1");

        Evaluation evaluation = evaluate(new Evidence(
                "a.test",
                List.of(new DnsLookupResult("A", known, null), new DnsLookupResult("MX", null, limit)),
                null,
                null));

        assertThat(evaluation.error()).isEqualTo(limit);
    }

    @Test
    void returnsTheFirstFailureIfEveryLookupFailed() {
        CheckError timeout = new CheckError(ErrorCode.DNS_TIMEOUT, "Late.");
        Evidence evidence = new Evidence(
                "a.test",
                List.of(new DnsLookupResult("A", null, timeout), new DnsLookupResult("MX", null, timeout)),
                null,
                null);

        assertThat(evaluate(evidence).error()).isEqualTo(timeout);
        assertThat(evaluate(evidence).fields()).containsEntry("rcode", null);
    }

    @Test
    void returnsTheErrorIfOneLookupTimedOut() {
        CheckError timeout = new CheckError(ErrorCode.DNS_TIMEOUT, "Late.");
        Evidence evidence = new Evidence(
                "a.test",
                List.of(
                        new DnsLookupResult("A", DnsResponses.response("a.test", "A", "a.test. 60 IN A 1.1.1.1"), null),
                        new DnsLookupResult("TXT", null, timeout)),
                null,
                null);

        assertThat(evaluate(evidence).error()).isEqualTo(timeout);
        assertThat(evaluate(evidence).fields().get("records").toString()).contains("1.1.1.1");
        assertThat(codes(evaluate(evidence))).containsExactly("lookup_failed");
    }

    @Property(tries = 5000)
    void acceptsEveryRecordThatCanBeParsed(@ForAll("types") String type, @ForAll @Size(max = 80) byte[] data) {
        Record record;
        try {
            record = Record.newRecord(
                    Name.fromConstantString("a.example.com."), Type.value(type), DClass.IN, 60, data.length, data);
            record.rdataToWireCanonical();
        } catch (RuntimeException malformed) {
            return; // a response with this record cannot be parsed
        }
        DnsResponse empty = DnsResponses.response("a.example.com", type);
        DnsResponse large = new DnsResponse(
                empty.name(), empty.type(), Rcode.NOERROR, List.of(), List.of(record), List.of(), false, 60, null, 1);

        Evaluation evaluation =
                evaluate(new Evidence("a.example.com", List.of(new DnsLookupResult(type, large, null)), null, null));

        assertThat(((Map<?, ?>) evaluation.fields().get("records")).containsKey(type))
                .isTrue();
    }

    @Provide
    Arbitrary<String> types() {
        return Arbitraries.of(
                MODULE.description().option("types").pattern().pattern().split("\\|"));
    }

    private static Evaluation evaluate(Evidence evidence) {
        return MODULE.evaluate(evidence, Options.defaults(MODULE.description()));
    }

    private static List<String> codes(Evaluation evaluation) {
        return evaluation.findings().stream().map(Finding::code).toList();
    }
}
