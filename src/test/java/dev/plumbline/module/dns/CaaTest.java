package dev.plumbline.module.dns;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.lab.DnsFaults;
import dev.plumbline.lab.DnsFixture;
import dev.plumbline.lab.DnsResponses;
import dev.plumbline.probe.dns.CaaLookup;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.Evaluation;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Level;
import dev.plumbline.result.Verdict;
import dev.plumbline.sheet.Options;
import dev.plumbline.support.Dig;
import dev.plumbline.support.NamedServer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.xbill.DNS.CAARecord;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Type;

/** Checks of CAA records, among them the examples of RFC 8659. */
class CaaTest {
    private static final ModuleDefinition<CaaLookup> MODULE = SheetModule.load(new Caa());
    private static DnsFixture fixture;

    @BeforeAll
    static void start() {
        fixture = DnsFixture.start();
        fixture.dns()
                .empty("a.b.climb.test")
                .empty("b.climb.test")
                .record("climb.test. 60 IN CAA 0 issue \"ca.test\"")
                .empty("none.test")
                .alias("alias.climb.test", "target.elsewhere.test")
                .empty("target.elsewhere.test")
                .record("elsewhere.test. 60 IN CAA 0 issue \"elsewhere-ca.test\"")
                .alias("owned.climb.test", "with.elsewhere.test")
                .record("with.elsewhere.test. 60 IN CAA 0 issue \"target-ca.test\"")
                .alias("dangling.climb.test", "missing.elsewhere.test")
                .alias("loop.climb.test", "loop2.climb.test")
                .alias("loop2.climb.test", "loop.climb.test")
                .empty("www.broken.test")
                .empty("broken.test")
                .behave("broken.test", DnsFaults.only(Type.CAA, DnsFaults.rcode(Rcode.SERVFAIL)))
                .empty("silent.test")
                .behave("silent.test", DnsFaults.only(Type.CAA, DnsFaults.silent()))
                .empty("sub.inside.test")
                .record("inside.test. 60 IN CAA 0 issue \"secret-ca.test\"")
                .address("inside.test", "10.0.0.1")
                .empty("report.test")
                .record("report.test. 60 IN CAA 0 iodef \"https://soc.corp.example/\"")
                .empty("shop.registry-example.com")
                .empty("registry-example.com")
                .record("com. 60 IN CAA 0 issue \"tld-ca.test\"");
    }

    @AfterAll
    static void stop() {
        fixture.close();
    }

    private static CheckResult check(String domain) {
        return fixture.check(MODULE, domain, "");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "climb.test | climb.test | ca.test | -",
                "b.climb.test | climb.test | ca.test | inherited",
                "a.b.climb.test | climb.test | ca.test | inherited",
                "none.test | - | - | no_caa",
                // the parent of the alias, not of its target (RFC 8659 section 3)
                "alias.climb.test | climb.test | ca.test | inherited",
                "owned.climb.test | owned.climb.test | target-ca.test | from_alias",
                "dangling.climb.test | climb.test | ca.test | inherited",
                "shop.registry-example.com | com | tld-ca.test | inherited"
            })
    void climbsToTheClosestParentWithRecords(String domain, String effective, String issuer, String code) {
        CheckResult result = check(domain);

        assertThat(result.error()).isNull();
        assertThat(result.fields())
                .containsEntry("found", !effective.equals("-"))
                .containsEntry("effective_domain", effective.equals("-") ? null : effective)
                .containsEntry("issuers", issuer.equals("-") ? List.of() : List.of(issuer));
        assertThat(codes(result.findings())).isEqualTo(code.equals("-") ? List.of() : List.of(code));
    }

    @ParameterizedTest
    @CsvSource({
        "www.broken.test, DNS_SERVFAIL, broken.test",
        "broken.test, DNS_SERVFAIL, broken.test",
        "loop.climb.test, DNS_SERVFAIL, loop.climb.test",
        "silent.test, DNS_TIMEOUT, silent.test"
    })
    void reportsAFailedLookupInsteadOfAnAbsence(String domain, ErrorCode code, String failed) {
        CheckResult result = check(domain);

        assertThat(result.error().code()).isEqualTo(code);
        assertThat(result.verdict()).isEqualTo(Verdict.ERROR);
        assertThat(result.fields().values()).containsOnlyNulls();
        assertThat(codes(result.findings())).containsExactly("caa_lookup_failed");
        assertThat(result.findings().get(0).message()).startsWith("The CAA lookup for " + failed + " failed");
    }

    @Test
    void reportsANameThatDoesNotExist() {
        assertThat(check("missing.climb.test").error().code()).isEqualTo(ErrorCode.DNS_NXDOMAIN);
    }

    @ParameterizedTest
    @ValueSource(strings = {"inside.test", "sub.inside.test", "report.test"})
    void withholdsRecordsOfPrivateNames(String domain) {
        CheckResult result = check(domain);

        assertThat(result.error().code()).isEqualTo(ErrorCode.TARGET_BLOCKED);
        assertThat(result.toString()).doesNotContain("secret-ca", "soc.corp");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                // RFC 8659 section 4.2
                "0 issue \"ca1.example.net\" + 0 issue \"ca2.example.org\" | ca1.example.net ca2.example.org | - | ",
                "0 issue \";\" | | issuance_forbidden | ",
                "0 issue \"%%%%%\" | | malformed_issuer | ",
                "0 issue \"ca1.example.net; account=230123\" | ca1.example.net | - | ",
                "0 issue \"ca1.example.net; policy=ev\" | ca1.example.net | - | ",
                // section 4.3
                "0 issue \"ca1.example.net\" + 0 issuewild \"ca2.example.org\" | ca1.example.net | - | ca2.example.org",
                "0 issue \"ca1.example.net\" + 0 issuewild \";\" | ca1.example.net | wildcards_forbidden | none",
                "0 issuewild \"ca2.example.org\" | | only_wildcards_restricted | ca2.example.org",
                "0 issuewild \";\" | | only_wildcards_restricted | none",
                // section 4.4
                "0 issue \"ca1.example.net\" + 0 iodef \"mailto:security@example.com\""
                        + " + 0 iodef \"https://iodef.example.com/\" | ca1.example.net | - | ",
                // section 4.5
                "0 issue \"ca1.example.net\" + 128 tbs \"Unknown\" | ca1.example.net | unknown_critical_tag | ",
                "128 issue \"ca1.example.net\" | ca1.example.net | - | ",
                "0 issue \"ca1.example.net\" + 0 tbs \"Unknown\" | ca1.example.net | unknown_tag | ",
                "0 issue \"ca1.example.net\" + 1 issuewild \"ca1.example.net\" | ca1.example.net | reserved_flags | ",
                "129 issue \"CA1.Example.net\" | ca1.example.net | reserved_flags | ",
                "0 issue \";\" + 0 issue \"ca1.example.net\" | ca1.example.net | ineffective_denial | ",
                "0 issue \"\" | | issuance_forbidden | ",
                "0 issue \"ca1.example.net;\" | ca1.example.net | - | ",
                "0 issue \" ca1.example.net ; a = b ; c-1 = \" | ca1.example.net | - | ",
                "0 issue \"ca1.example.net; a=b;\" | | malformed_issuer | ",
                "0 issue \"ca1.example.net. \" | | malformed_issuer | ",
                "0 issue \"ca_1.example.net\" | | malformed_issuer | ",
                "0 issue \"ca1.example.net; a b\" | | malformed_issuer | ",
                "0 issue \"https://ca1.example.net/\" | | malformed_issuer | ",
                "0 issue \"ca1.example.net\" + 0 issuewild \"%\" | ca1.example.net | malformed_issuer | none",
                "0 iodef \"mailto:a@example.com,b@example.com?subject=x\" | | not_restricted | none",
                "0 iodef \"security@example.com\" | | invalid_iodef not_restricted | none",
                "0 iodef \"ftp://example.com/\" | | invalid_iodef not_restricted | none",
                "0 iodef \"mailto:\" | | invalid_iodef not_restricted | none",
                // RFC 8657
                "0 issue \"ca1.example.net; accounturi=https://a.test/1; validationmethods=dns-01,http-01\""
                        + " | ca1.example.net | - | ",
                "0 issue \"ca1.example.net; validationmethods=ca-email,ca-x\" | ca1.example.net | - | ",
                "0 issue \"ca1.example.net; validationmethods=dns01\" | ca1.example.net | unknown_validation_method | ",
                "0 issue \"ca1.example.net; validationmethods=dns-01,\" | ca1.example.net | unsatisfiable_parameter | ",
                "0 issue \"ca1.example.net; validationmethods=\" | ca1.example.net | unsatisfiable_parameter | ",
                "0 issue \"ca1.example.net; accounturi=12345\" | ca1.example.net | unsatisfiable_parameter | ",
                "0 issue \"ca1.example.net; accounturi=a:1; accounturi=a:2\" | ca1.example.net"
                        + " | unsatisfiable_parameter | ",
                // RFC 9495 and the requirements for mark certificates
                "0 issuemail \"ca1.example.net\" + 0 issue \"ca1.example.net\" | ca1.example.net | smime_restricted | ",
                "0 issuemail \";\" | | not_restricted smime_restricted | none",
                "128 issuemail \"ca1.example.net\" | | critical_extension not_restricted smime_restricted | none",
                "0 issuevmc \"ca1.example.net\" + 0 issue \"ca1.example.net\" | ca1.example.net"
                        + " | mark_certificates_restricted | ",
                "0 contactemail \"a@example.com\" | | not_restricted | none"
            })
    void evaluatesRecords(String records, String issuers, String codes, String wildcardIssuers) {
        Evaluation evaluation = evaluate(records.split(" \\+ "));

        assertThat(evaluation.findings().stream().map(Finding::code))
                .isEqualTo(codes.equals("-") ? List.of() : Arrays.asList(codes.split(" ")));
        List<String> expected = issuers == null ? List.of() : Arrays.asList(issuers.split(" "));
        assertThat(evaluation.fields()).containsEntry("issuers", expected);
        assertThat(evaluation.fields())
                .containsEntry(
                        "wildcard_issuers",
                        wildcardIssuers == null
                                ? expected
                                : wildcardIssuers.equals("none") ? List.of() : List.of(wildcardIssuers));
    }

    private static Evaluation evaluate(String... records) {
        List<CAARecord> all = Stream.of(records)
                .flatMap(each -> DnsResponses.response("a.test", "CAA", "a.test. 60 IN CAA " + each).records().stream())
                .map(CAARecord.class::cast)
                .toList();
        return MODULE.evaluate(
                new CaaLookup("a.test", "a.test", null, all, null, null), Options.defaults(MODULE.description()));
    }

    @Test
    void namesTheRecordInEachFinding() {
        Evaluation evaluation = evaluate("0 issue \"%%%%%\"", "128 tbs \"Unknown\"", "2 issuewild \"a.test\"");

        assertThat(evaluation.findings())
                .extracting(Finding::message)
                .containsExactly(
                        "CAA records have the critical flag and an unknown tag, so CAs must not issue certificates: tbs.",
                        "The value of a CAA record with the tag issue is malformed, so it does not authorize any CA"
                                + " (\"%%%%%\").",
                        "CAA records have reserved flags, which CAs ignore: 2 issuewild.");
        assertThat(evaluation.findings())
                .extracting(Finding::level)
                .containsExactly(Level.FAIL, Level.FAIL, Level.WARN);
    }

    /** The climbing of RFC 8659 with dig, one lookup per name. */
    @Tag("integration")
    @Test
    void agreesWithDigOnBind(@TempDir Path folder) throws Exception {
        Map<String, String> zones = new LinkedHashMap<>();
        zones.put(
                "example.com",
                """
            @ IN CAA 0 issue "ca1.example.net"
            @ IN CAA 0 issuewild ";"
            @ IN CAA 0 iodef "mailto:security@example.com"
            nocerts IN CAA 0 issue ";"
            malformed IN CAA 0 issue "%%%%%"
            future IN CAA 128 tbs "Unknown"
            upper IN CAA 0 ISSUE "CA1.example.net"
            upper IN CAA 0 Iodef "mailto:a@example.com"
            a.b.c IN A 192.0.2.1
            www IN CNAME target.example.net.
            star.* IN A 192.0.2.1
            *.wild IN CAA 0 issue "wild-ca.example.net"
            """);
        zones.put(
                "example.net",
                """
            @ IN CAA 0 issue "net-ca.example.net"
            target IN A 192.0.2.1
            moved IN DNAME example.com.
            """);
        zones.put("com", "@ IN CAA 0 issue \"tld-ca.example.net\"\nother IN A 192.0.2.1\n");
        try (NamedServer named = NamedServer.start(folder, zones)) {
            for (String name : List.of(
                    "example.com",
                    "nocerts.example.com",
                    "malformed.example.com",
                    "future.example.com",
                    "upper.example.com",
                    "a.b.c.example.com",
                    "b.c.example.com",
                    "www.example.com",
                    "x.wild.example.com",
                    "target.example.net",
                    "nocerts.moved.example.net",
                    "other.com")) {
                CheckResult result = fixture.check(MODULE, named.address(), name, "");

                String effective = name;
                List<String> expected = dig(named, effective);
                while (expected.isEmpty() && effective.contains(".")) {
                    effective = effective.substring(effective.indexOf('.') + 1);
                    expected = dig(named, effective);
                }
                assertThat(result.fields()).as(name).containsEntry("effective_domain", effective);
                assertThat(lines(result))
                        .as(name)
                        .containsExactlyInAnyOrderElementsOf(
                                name.startsWith("upper")
                                        ? List.of("0 issue \"CA1.example.net\"", "0 iodef \"mailto:a@example.com\"")
                                        : expected);
            }
        }
    }

    private static List<String> dig(NamedServer named, String name) throws Exception {
        return Dig.query(named.port(), "+short", name, "CAA").stream()
                .filter(line -> !line.endsWith(".")) // CNAME and DNAME targets
                .toList();
    }

    @SuppressWarnings("unchecked")
    private static List<String> lines(CheckResult result) {
        return ((List<Map<String, Object>>) result.fields().get("records"))
                .stream()
                        .map(row -> "%d %s \"%s\""
                                .formatted((Boolean) row.get("critical") ? 128 : 0, row.get("tag"), row.get("value")))
                        .toList();
    }

    private static List<String> codes(List<Finding> findings) {
        return findings.stream().map(Finding::code).toList();
    }

    @Test
    @Timeout(value = 20, unit = SECONDS)
    void climbsFromTheLongestName() {
        String name = "a.".repeat(120) + "deep.test";
        fixture.dns().empty(name).empty("deep.test");

        CheckResult result = check(name);

        assertThat(result.fields()).containsEntry("found", false);
    }
}
