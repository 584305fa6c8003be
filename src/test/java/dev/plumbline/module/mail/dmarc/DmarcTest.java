package dev.plumbline.module.mail.dmarc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.lab.DnsFaults;
import dev.plumbline.lab.DnsFixture;
import dev.plumbline.module.mail.dmarc.Dmarc.Evidence;
import dev.plumbline.module.mail.dmarc.DmarcTree.Level;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.Evaluation;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Verdict;
import dev.plumbline.sheet.Options;
import dev.plumbline.support.Dig;
import dev.plumbline.support.NamedServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

class DmarcTest {
    private static final ModuleDefinition<Evidence> MODULE = SheetModule.load(new Dmarc());
    private DnsFixture fixture;

    @BeforeEach
    void start() {
        fixture = DnsFixture.start();
        fixture.dns().address("example.com", "192.0.2.1");
    }

    @AfterEach
    void stop() {
        fixture.close();
    }

    private void text(String name, String text) {
        StringBuilder strings = new StringBuilder();
        for (int i = 0; i < text.length(); i += 200) {
            String part = text.substring(i, Math.min(text.length(), i + 200));
            strings.append('"')
                    .append(part.replace(";", "\\;").replace("\"", "\\\""))
                    .append("\" ");
        }
        fixture.dns().record(name + ". 60 IN TXT " + strings);
    }

    private CheckResult check(String domain) {
        return fixture.check(MODULE, domain, "");
    }

    private static Set<String> codes(List<Finding> findings) {
        return new TreeSet<>(findings.stream().map(Finding::code).toList());
    }

    private static Set<String> words(@Nullable String text) {
        return new TreeSet<>(text == null ? List.of() : Arrays.asList(text.split(" ")));
    }

    @Test
    void evaluatesTheDomainOwnerExamplesOfRfc9989() {
        // RFC 9989 appendix B.2.1 to B.2.3 and B.2.5
        text("_dmarc.example.com", "v=DMARC1; p=none; rua=mailto:dmarc-feedback@example.com");
        text(
                "_dmarc.b2.example",
                "v=DMARC1; p=none; rua=mailto:dmarc-feedback@b2.example; ruf=mailto:auth-reports@b2.example");
        text(
                "_dmarc.b3.example",
                "v=DMARC1; p=none; rua=mailto:dmarc-feedback@b3.example;"
                        + " ruf=mailto:auth-reports@thirdparty.example.net");
        text("b3.example._report._dmarc.thirdparty.example.net", "v=DMARC1;");
        text(
                "_dmarc.test.example.com",
                "v=DMARC1; p=quarantine; rua=mailto:dmarc-feedback@example.com,"
                        + "mailto:tld-test@thirdparty.example.net; t=y");
        text("test.example.com._report._dmarc.thirdparty.example.net", "v=DMARC1;");

        assertThat(check("example.com").fields())
                .containsEntry("valid", true)
                .containsEntry("policy", "none")
                .containsEntry("subdomain_policy", "none")
                .containsEntry("nonexistent_policy", "none")
                .containsEntry("psd", "u")
                .containsEntry("testing", false)
                .containsEntry("pct", 100)
                .containsEntry("rua", List.of("mailto:dmarc-feedback@example.com"))
                .containsEntry("aspf", "r")
                .containsEntry("adkim", "r")
                .containsEntry("inherited_from", null)
                .containsEntry("external_authorized", null);
        assertThat(check("b2.example").fields())
                .containsEntry("ruf", List.of("mailto:auth-reports@b2.example"))
                .containsEntry("external_authorized", null);
        assertThat(check("b3.example").fields()).containsEntry("external_authorized", true);
        CheckResult test = check("test.example.com");
        assertThat(test.fields())
                .containsEntry("policy", "quarantine")
                .containsEntry("testing", true)
                .containsEntry("external_authorized", true)
                .containsEntry("inherited_from", null);
        assertThat(codes(test.findings())).containsExactly("policy_quarantine", "policy_testing");
        assertThat(test.findings())
                .extracting(Finding::message)
                .contains(
                        "The policy is in test mode (`t=y`). Receivers apply `none` instead of `quarantine`, but those"
                                + " that follow RFC 7489 ignore `t`.");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "none",
            value = {
                // RFC 9989 appendix B.2.4
                "v=DMARC1; rua=mailto:a@thirdparty.example.net; ruf=mailto:f@thirdparty.example.net|true|none",
                "v=DMARC1; rua=mailto:a@elsewhere.example.net|false|report_redirected",
                "v=DMARC1; ruf=mailto:a@elsewhere.example.net|false|report_redirected",
                "v=dmarc1; rua=mailto:a@thirdparty.example.net|false|report_not_authorized"
            })
    void followsOverridesOnlyWithinTheDestination(String text, boolean authorized, @Nullable String codes) {
        text("_dmarc.example.com", "v=DMARC1; p=reject; rua=mailto:a@thirdparty.example.net");
        text("example.com._report._dmarc.thirdparty.example.net", text);

        CheckResult result = check("example.com");

        assertThat(result.fields()).containsEntry("external_authorized", authorized);
        assertThat(codes(result.findings())).isEqualTo(words(codes));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "none",
            value = {
                "p=reject; rua=mailto:a@example.com|true|none",
                "p=REJECT;rua=MAILTO:a@Example.COM;|true|none",
                "p = reject ; rua = mailto:a@example.com ; fo = 1:d:s|true|none",
                "p=reject; rua=mailto:a@example.com; rf=afrf; ri=3600|true|obsolete_tag",
                "p=reject|true|no_reports",
                "p=none; rua=mailto:a@example.com|true|policy_none",
                "p=quarantine; rua=mailto:a@example.com|true|policy_quarantine",
                "p=reject; sp=none; rua=mailto:a@example.com|true|subdomain_policy_weaker",
                "p=none; sp=reject; rua=mailto:a@example.com|true|policy_none",
                "p=reject; pct=0; rua=mailto:a@example.com|true|obsolete_tag policy_partial",
                "p=none; pct=0; rua=mailto:a@example.com|true|obsolete_tag policy_none",
                "rua=mailto:a@example.com; p=reject|true|policy_not_first",
                "p=reject; rua=mailto:a@example.com; foo=bar|true|unknown_tag",
                "p=reject; np=reject; psd=n; t=n; rua=mailto:a@example.com|true|none",
                "p=reject; t=y; rua=mailto:a@example.com|true|policy_testing",
                "p=reject; np=none; psd=u; t=Y; rua=mailto:a@example.com|true|nonexistent_policy_ignored "
                        + "nonexistent_policy_weaker policy_testing",
                "p=reject; np=Quarantine; psd=Y; rua=mailto:a@example.com|true|nonexistent_policy_ignored "
                        + "nonexistent_policy_weaker psd_not_public_suffix",
                "p=none; np=reject; rua=mailto:a@example.com|true|nonexistent_policy_ignored policy_none",
                "p=reject; sp=none; np=none; rua=mailto:a@example.com|true|subdomain_policy_weaker",
                "p=reject; np=all; rua=mailto:a@example.com|false|nonexistent_policy_ignored policy_tag_invalid syntax_error",
                "p=reject; np=; rua=mailto:a@example.com|false|nonexistent_policy_ignored policy_tag_invalid syntax_error",
                "p=reject; psd=maybe; rua=mailto:a@example.com|false|syntax_error",
                "p=reject; t=yes; rua=mailto:a@example.com|false|syntax_error",
                "p=reject; t=s; rua=mailto:a@example.com|false|syntax_error",
                "p=none; t=y; rua=mailto:a@example.com|true|policy_none",
                "p=reject; rua=mailto:a@example.com!10m,mailto:b@example.com|true|obsolete_tag",
                "p=reject; "
                        + "rua=mailto:a@example.com,mailto:b@example.com,"
                        + "mailto:c@example.com|true|many_report_addresses",
                "p=reject; rua=mailto:a@sub.example.com|true|none",
                "rua=mailto:a@example.com|true|policy_missing",
                "sp=reject; rua=mailto:a@example.com|true|policy_missing",
                "aspf=s|false|no_policy no_reports",
                "sp=bad; rua=mailto:a@example.com|false|policy_tag_invalid syntax_error",
                "p=reject; sp=bad|false|no_policy no_reports syntax_error",
                "p=block; rua=mailto:a@example.com|false|policy_tag_invalid syntax_error",
                "p=reject; sp=all; rua=mailto:a@example.com|false|policy_tag_invalid syntax_error",
                "p=reject; pct=101; rua=mailto:a@example.com|true|obsolete_tag",
                "p=reject; pct=ten; rua=mailto:a@example.com|true|obsolete_tag",
                "p=reject; aspf=x; rua=mailto:a@example.com|false|syntax_error",
                "p=reject; fo=2; rua=mailto:a@example.com|false|syntax_error",
                "p=reject; fo=0:1; rua=mailto:a@example.com|false|syntax_error",
                "p=reject; fo=d:d; rua=mailto:a@example.com|false|syntax_error",
                "p=reject; fo=s:0:D; rua=mailto:a@example.com|true|none",
                "p=reject; fo=; rua=mailto:a@example.com|false|syntax_error",
                "p=reject; rua=mailto:a@xn--bcher-kva.example.com|true|none",
                "p=reject; p=none; rua=mailto:a@example.com|false|syntax_error",
                "p=reject; nonsense; rua=mailto:a@example.com|false|syntax_error",
                "p=reject; rua=a@example.com|false|syntax_error",
                "p=reject; rua=https://example.com/|false|syntax_error",
                "p=reject; rua=mailto:a@example.com!big|false|syntax_error",
                "p=reject; rua=mailto:@|false|syntax_error",
                "p=reject, rua=mailto:a@example.com|false|no_policy no_reports syntax_error"
            })
    void reportsFindingsForEachRecord(String tags, boolean valid, @Nullable String codes) {
        text("_dmarc.example.com", "v=DMARC1; " + tags);

        CheckResult result = check("example.com");

        assertThat(codes(result.findings())).isEqualTo(words(codes));
        assertThat(result.fields()).containsEntry("valid", valid);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"V=DMARC1; p=reject; rua=mailto:a@example.com", "V = DMARC1;p=reject;rua=mailto:a@example.com"})
    void acceptsTheVersionTagInCapitalLetters(String text) {
        text("_dmarc.example.com", text);

        CheckResult result = check("example.com");

        assertThat(result.findings()).isEmpty();
        assertThat(result.fields()).containsEntry("valid", true).containsEntry("record", text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "v=dmarc1; p=none",
                "v=DMARC2; p=none",
                "DMARC1; p=none",
                " v=DMARC1; p=none",
                "\"v=DMARC1; p=none\"",
                "v=DMARC1 p=none",
                "p=reject; v=DMARC1",
                "p=reject; rua=mailto:a@example.com;v=dmarc1;"
            })
    void reportsTextsThatResembleARecord(String text) {
        text("_dmarc.example.com", text);

        CheckResult result = check("example.com");

        assertThat(codes(result.findings())).containsExactly("dmarc_missing", "lookalike");
        assertThat(result.verdict()).isEqualTo(Verdict.FAIL);
        assertThat(result.fields()).containsEntry("record", null).containsEntry("valid", false);
    }

    @Test
    void prefersTheRecordOfTheDomainItself() {
        fixture.dns().address("sub.example.com", "192.0.2.1");
        text("_dmarc.example.com", "v=DMARC1; p=reject; rua=mailto:a@example.com");
        text("_dmarc.sub.example.com", "v=DMARC1; p=none; rua=mailto:a@example.com");
        text("_dmarc.sub.example.com", "something else");
        text("_dmarc.two.example.com", "v=DMARC1; p=none");
        text("_dmarc.two.example.com", "v=DMARC1; p=reject");

        assertThat(check("sub.example.com").fields())
                .containsEntry("policy", "none")
                .containsEntry("inherited_from", null);
        CheckResult two = check("two.example.com");
        assertThat(codes(two.findings()))
                .containsExactly("inherited", "nonexistent", "policy_not_applied", "several_records");
        assertThat(two.fields())
                .containsEntry("valid", false)
                .containsEntry("policy", "reject")
                .containsEntry("inherited_from", "example.com");
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "none",
            value = {
                "v=DMARC1, true, none",
                "v=DMARC1; rua=mailto:x@thirdparty.test, true, none",
                "nothing, false, report_not_authorized",
                "none, false, report_not_authorized",
                "SERVFAIL, none, report_authorization_unknown"
            })
    void checksTheAuthorizationOfExternalDomains(
            @Nullable String text, @Nullable Boolean authorized, @Nullable String codes) {
        String name = "example.com._report._dmarc.thirdparty.test";
        text("_dmarc.example.com", "v=DMARC1; p=reject; rua=mailto:a@thirdparty.test");
        if ("SERVFAIL".equals(text)) {
            fixture.dns().behave(name, DnsFaults.rcode(Rcode.SERVFAIL));
        } else if (text != null) {
            text(name, text);
        }

        CheckResult result = check("example.com");

        assertThat(result.fields()).containsEntry("external_authorized", authorized);
        assertThat(codes(result.findings())).isEqualTo(words(codes));
    }

    @Test
    void doesNotQueryPrivateReportDomains() {
        text("_dmarc.example.com", "v=DMARC1; p=reject; rua=mailto:a@split.test");
        text("example.com._report._dmarc.split.test", "v=DMARC1");
        fixture.dns().address("split.test", "10.1.2.3");

        CheckResult result = check("example.com");

        assertThat(result.fields()).containsEntry("external_authorized", null);
        assertThat(codes(result.findings())).containsExactly("report_authorization_unknown");
        assertThat(fixture.dns().queries("example.com._report._dmarc.split.test"))
                .isZero();
    }

    @Test
    void limitsTheNumberOfSyntaxErrors() {
        text("_dmarc.example.com", "v=DMARC1; p=reject" + "; nonsense".repeat(500) + "; x=1".repeat(3));

        CheckResult result = check("example.com");

        assertThat(result.findings())
                .filteredOn(finding -> finding.code().equals("syntax_error"))
                .hasSize(6)
                .last()
                .extracting(Finding::message)
                .isEqualTo("Further syntax errors in the record: 497.");
        assertThat((List<?>) result.fields().get("errors")).hasSize(100);
    }

    @Test
    void acceptsAWildcardAuthorization() {
        text("_dmarc.example.com", "v=DMARC1; p=reject; rua=mailto:a@thirdparty.test");
        fixture.dns().alias("example.com._report._dmarc.thirdparty.test", "any._report._dmarc.thirdparty.test");
        text("any._report._dmarc.thirdparty.test", "v=DMARC1;");

        assertThat(check("example.com").fields()).containsEntry("external_authorized", true);
    }

    @Test
    void queriesAtMostTenExternalDomains() {
        StringBuilder rua = new StringBuilder("mailto:a@other0.test");
        for (int i = 1; i < 20; i++) {
            rua.append(",mailto:a@other").append(i).append(".test");
        }
        text("_dmarc.example.com", "v=DMARC1; p=reject; rua=" + rua);

        check("example.com");

        assertThat(fixture.dns().queries("example.com._report._dmarc.other9.test"))
                .isEqualTo(1);
        assertThat(fixture.dns().queries("example.com._report._dmarc.other10.test"))
                .isZero();
    }

    @Test
    void reportsErrorsOfLookups() {
        fixture.dns().address("split.test", "10.1.2.3").behave("_dmarc.lame.test", DnsFaults.rcode(2));
        text("_dmarc.split.test", "v=DMARC1; p=reject");

        assertThat(check("split.test").error().code().id()).isEqualTo("target_blocked");
        assertThat(check("sub.split.test").error().code().id()).isEqualTo("target_blocked");
        assertThat(check("mail.corp.example").error().code().id()).isEqualTo("target_blocked");
        assertThat(check("lame.test").error().code().id()).isEqualTo("dns_servfail");
        assertThat(check("missing.test").error().code().id()).isEqualTo("dns_nxdomain");
    }

    @Provide
    Arbitrary<String> records() {
        Arbitrary<String> piece = Arbitraries.of(
                ";",
                "; ",
                "=",
                ",",
                "p",
                "sp",
                "none",
                "reject",
                "rua",
                "ruf",
                "mailto:",
                "a@b.test",
                "@",
                "!10m",
                "!",
                "pct",
                "100",
                "-1",
                "aspf",
                "s",
                "fo",
                "1:d",
                "v",
                "DMARC1",
                " ",
                "\t",
                "\u00e9",
                "?x",
                "%2C",
                "\"",
                "ri",
                "\n");
        return piece.list().ofMaxSize(40).map(list -> "v=DMARC1;" + String.join("", list));
    }

    @Property(tries = 2000)
    void evaluatesAnyRecord(@ForAll("records") String text) {
        assertThat(DmarcRecord.VERSION.isIn(text)).isTrue();
        DmarcRecord record = new DmarcRecord(text);
        assertThat(record.pct).isBetween(0, 100);
        assertThat(record.policy == null).isEqualTo(record.nonexistentPolicy == null);
        assertThat(DmarcReports.authorization(List.of(text), "b.test")).isNotNull();
        assertThat(evaluate(text).fields()).hasSize(15);
    }

    @Tag("integration")
    @ParameterizedTest
    @ValueSource(
            strings = {
                ";",
                "a;",
                "p=none;",
                "rua=mailto:a@b.test,",
                "mailto:a@b.test,",
                "!",
                "@",
                "=",
                " ",
                "\"",
                "\t=",
                "fo=1:",
                ":1",
                "a.",
                "dmarc"
            })
    void evaluatesAMegabyteOfHostileTextInSeconds(String piece) {
        String text = piece.repeat(1_000_000 / piece.length());

        assertTimeoutPreemptively(Duration.ofSeconds(20), () -> {
            evaluate("v=DMARC1;p=none;rua=" + text);
            evaluate("v=DMARC1;p=none;fo=" + text);
            evaluate("v=DMARC1;" + text);
            DmarcRecord.VERSION.isLookalike(text);
        });
    }

    private static Evaluation evaluate(String text) {
        Level level = new Level("example.com", List.of(text), null);
        return MODULE.evaluate(
                new Evidence(new DmarcTree("example.com", List.of(level), null), true, level, List.of()),
                Options.defaults(MODULE.description()));
    }

    @Test
    void reportsAnErrorIfTheExistenceOfTheDomainIsUnknown() {
        fixture.dns()
                .empty("unstable.test")
                .behave("unstable.test", DnsFaults.only(Type.A, (query, standard, transport, count) -> {
                    standard.getHeader().setRcode(count == 0 ? Rcode.NOERROR : Rcode.SERVFAIL);
                    standard.removeAllRecords(Section.AUTHORITY);
                    return standard.toWire();
                }));

        CheckResult result = fixture.check(MODULE, "unstable.test", "");

        assertThat(result.error()).isNotNull();
        assertThat(result.error().code().id()).isEqualTo("dns_servfail");
    }

    @Tag("integration")
    @Test
    void agreesWithDigOnBind(@TempDir Path folder) throws Exception {
        try (NamedServer named = NamedServer.start(
                folder,
                Map.of(
                        "zone.test",
                        """
                @ IN A 192.0.2.1
                www IN A 192.0.2.1
                _dmarc IN TXT "v=DMARC1; p=reject; " "rua=mailto:a@other.test,mailto:b@third.test"
                outsourced IN A 192.0.2.1
                _dmarc.outsourced IN CNAME record.other.test.
                """,
                        "other.test",
                        """
                *._report._dmarc IN TXT "v=DMARC1"
                record IN TXT "v=DMARC1; p=quarantine; rua=mailto:a@zone.test"
                """,
                        "third.test",
                        "@ IN A 192.0.2.1\n"))) {
            for (String name : List.of("zone.test", "outsourced.zone.test")) {
                CheckResult result = fixture.check(MODULE, named.address(), name, "");

                assertThat(Dig.texts(named.port(), "_dmarc." + name))
                        .contains(String.valueOf(result.fields().get("record")));
                assertThat(result.fields()).containsEntry("valid", true);
            }
            CheckResult www = fixture.check(MODULE, named.address(), "www.zone.test", "");
            assertThat(www.fields())
                    .containsEntry("inherited_from", "zone.test")
                    .containsEntry("external_authorized", false);
            assertThat(www.findings())
                    .extracting(Finding::message)
                    .contains("third.test does not authorize DMARC reports for zone.test, so receivers do not send "
                            + "reports"
                            + " there.");
            assertThat(Dig.query(named.port(), "+short", "zone.test._report._dmarc.other.test", "TXT"))
                    .containsExactly("\"v=DMARC1\"");
            assertThat(Dig.query(named.port(), "+short", "zone.test._report._dmarc.third.test", "TXT"))
                    .isEmpty();
        }
    }
}
