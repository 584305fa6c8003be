package dev.plumbline.module.mail;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.lab.DnsFaults;
import dev.plumbline.lab.DnsFixture;
import dev.plumbline.module.mail.record.MailHosts;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.Evaluation;
import dev.plumbline.result.Finding;
import dev.plumbline.sheet.Options;
import dev.plumbline.support.Dig;
import dev.plumbline.support.NamedServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TlsRptTest {
    private static final ModuleDefinition<TlsRpt.Evidence> MODULE = SheetModule.load(new TlsRpt());
    private static final MailHosts MX = new MailHosts(true, false, List.of("mail.example.com"));
    private static DnsFixture fixture;

    @BeforeAll
    static void start() {
        fixture = DnsFixture.start();
    }

    @AfterAll
    static void stop() {
        fixture.close();
    }

    private static Evaluation evaluate(String... records) {
        return MODULE.evaluate(
                new TlsRpt.Evidence("example.com", List.of(records), null, MX), Options.defaults(MODULE.description()));
    }

    private static String codes(List<Finding> findings) {
        return findings.stream().map(Finding::code).sorted().collect(Collectors.joining(" "));
    }

    @Test
    void acceptsTheExamplesOfTheRfc() {
        // RFC 8460 section 3.1.1 and 3.1.2
        Evaluation mail = evaluate("v=TLSRPTv1;rua=mailto:reports@example.com");
        Evaluation web = evaluate("v=TLSRPTv1; rua=https://reporting.example.com/v1/tlsrpt");

        assertThat(mail.findings()).isEmpty();
        assertThat(mail.fields())
                .containsEntry("record", "v=TLSRPTv1;rua=mailto:reports@example.com")
                .containsEntry("rua", List.of("mailto:reports@example.com"))
                .containsEntry("valid", true);
        assertThat(web.findings()).isEmpty();
        assertThat(web.fields()).containsEntry("rua", List.of("https://reporting.example.com/v1/tlsrpt"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "none",
            value = {
                "rua=mailto:a@example.com,https://b.example/x|true|2|''",
                "rua=mailto:a@example.com , https://b.example/x ;|true|2|''",
                "rua=MAILTO:a@Example.COM|true|1|''",
                "rua=HTTPS://b.example/x?y=1%2C2|true|1|''",
                "rua=mailto:a@example.com?subject=x|true|1|''",
                "ext.1=value;rua=mailto:a@example.com|true|1|unknown_tag",
                ";rua=mailto:a@example.com;;|true|1|''",
                "''|false|0|no_report_address",
                "rua=|false|0|no_report_address syntax_error",
                "RUA=mailto:a@example.com|false|0|no_report_address unknown_tag",
                "rua=a@example.com|false|1|no_report_address syntax_error",
                "rua=http://b.example/x|false|1|no_report_address syntax_error",
                "rua=https:///x|false|1|no_report_address syntax_error",
                "rua=mailto:@|false|1|no_report_address syntax_error",
                "rua=mailto:a@example.com!10m|false|1|no_report_address syntax_error",
                "rua=https://b.example/x!10m|false|1|no_report_address syntax_error",
                "rua=ftp://b.example/|false|1|no_report_address syntax_error",
                "rua=mailto:a@example.com,b@example.com|false|2|syntax_error",
                "rua=mailto:a@example.com,|false|1|syntax_error",
                "rua=mailto:a@example.com; rua=mailto:b@example.com|false|1|syntax_error",
                "mailto:a@example.com|false|0|no_report_address syntax_error",
                "rua=mailto:a@example.com; trailing|false|1|syntax_error",
                "rua=mailto:a b@example.com|false|1|no_report_address syntax_error",
            })
    void reportsFindingsForEachRecord(String tags, boolean valid, int addresses, String codes) {
        Evaluation evaluation = evaluate("v=TLSRPTv1;" + tags);

        assertThat(codes(evaluation.findings())).isEqualTo(codes);
        assertThat(evaluation.fields()).containsEntry("valid", valid);
        assertThat((List<?>) evaluation.fields().get("rua")).hasSize(addresses);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "v=TLSRPTv1|lookalike tls_rpt_missing",
                "v=TLSRPTv1 ; rua=mailto:a@example.com|lookalike tls_rpt_missing",
                "v=tlsrptv1; rua=mailto:a@example.com|lookalike tls_rpt_missing",
                "v=TLSRPTv2; rua=mailto:a@example.com|lookalike tls_rpt_missing",
                "v = TLSRPTv1; rua=mailto:a@example.com|lookalike tls_rpt_missing",
                "TLSRPTv1; rua=mailto:a@example.com|lookalike tls_rpt_missing",
                "TLS-RPT reports|lookalike tls_rpt_missing",
                "v=spf1 -all|tls_rpt_missing",
            })
    void discardsTextsWithoutTheVersion(String text, String codes) {
        String domain = "lookalike" + Integer.toUnsignedString(text.hashCode()) + ".example";
        fixture.dns()
                .address(domain, "192.0.2.1")
                .record("_smtp._tls." + domain + ". 60 IN TXT \"" + text.replace(";", "\\;") + '"');

        CheckResult result = fixture.check(MODULE, domain, "");

        assertThat(codes(result.findings())).isEqualTo(codes);
        assertThat(result.fields()).containsEntry("record", null).containsEntry("valid", false);
    }

    @Test
    void reportsAbsenceOnlyForDomainsThatAcceptMail() {
        fixture.dns()
                .address("mail.example", "192.0.2.1")
                .record("null.example. 60 IN MX 0 .")
                .address("broken.example", "192.0.2.1")
                .behave("_smtp._tls.broken.example", DnsFaults.rcode(2))
                .address("inside.example", "10.0.0.1")
                .record("_smtp._tls.inside.example. 60 IN TXT \"v=TLSRPTv1\\;rua=mailto:a@inside.example\"");

        assertThat(codes(fixture.check(MODULE, "mail.example", "").findings())).isEqualTo("tls_rpt_missing");
        assertThat(codes(fixture.check(MODULE, "_smtp._tls.mail.example", "").findings()))
                .isEqualTo("tls_rpt_missing");
        assertThat(codes(fixture.check(MODULE, "null.example", "").findings())).isEqualTo("not_required");
        assertThat(fixture.check(MODULE, "missing.example", "").error().code().id())
                .isEqualTo("dns_nxdomain");
        assertThat(fixture.check(MODULE, "broken.example", "").error().code().id())
                .isEqualTo("dns_servfail");
        assertThat(fixture.check(MODULE, "inside.example", "").error().code().id())
                .isEqualTo("target_blocked");
    }

    @Test
    void reportsSeveralRecords() {
        Evaluation evaluation = evaluate(
                "v=TLSRPTv1;rua=mailto:reports@example.com", "v=TLSRPTv1; rua=https://reporting.example.com/v1/tlsrpt");

        assertThat(codes(evaluation.findings())).isEqualTo("several_records");
        assertThat(evaluation.fields()).containsEntry("record", null).containsEntry("valid", false);
    }

    @Tag("integration")
    @Test
    void agreesWithDigOnBind(@TempDir Path folder) throws Exception {
        String host = "@ A 192.0.2.1\n@ MX 10 mail\nmail A 192.0.2.2\n";
        try (NamedServer named = NamedServer.start(
                folder,
                Map.of(
                        "split.example",
                        host + "_smtp._tls TXT \"v=TLSRPTv1\\;rua=mailto:rep\" \"orts@split.example\"",
                        "alias.example",
                        host + "_smtp._tls CNAME _smtp._tls.split.example.",
                        "other.example",
                        host + "_smtp._tls TXT \"v=TLSRPTv1\\;rua=mailto:a@other.example\"\n_smtp._tls TXT \"comment\"",
                        "none.example",
                        host))) {
            for (String domain : List.of("split.example", "alias.example", "other.example", "none.example")) {
                List<String> published = Dig.texts(named.port(), "_smtp._tls." + domain).stream()
                        .filter(text -> text.startsWith("v=TLSRPTv1;"))
                        .toList();

                CheckResult result = fixture.check(MODULE, named.address(), domain, "");

                assertThat(result.fields())
                        .as(domain)
                        .containsEntry("record", published.isEmpty() ? null : published.get(0))
                        .containsEntry("valid", !published.isEmpty());
            }
        }
    }

    @Provide
    Arbitrary<String> texts() {
        return Arbitraries.of(
                        ";",
                        "=",
                        ",",
                        "rua",
                        "mailto:",
                        "https://",
                        "a@b.test",
                        "@",
                        "!10m",
                        "v",
                        " ",
                        "\t",
                        "\u00e9",
                        "?x",
                        "%2C",
                        "\"",
                        "\n",
                        "[",
                        "xn--",
                        "/",
                        ":")
                .list()
                .ofMaxSize(40)
                .map(list -> "v=TLSRPTv1;" + String.join("", list));
    }

    @Property(tries = 1000)
    void evaluatesAnyRecord(@ForAll("texts") String text) {
        Evaluation evaluation = evaluate(text);

        assertThat(evaluation.fields()).hasSize(3).containsEntry("record", text);
        assertThat(evaluation.fields().get("valid"))
                .isEqualTo(evaluation.findings().stream()
                        .allMatch(finding -> finding.code().equals("unknown_tag")));
    }

    @ParameterizedTest
    @ValueSource(strings = {";", "a;", "x=1;", "rua=mailto:a@b.test,", ",", "!", "@", "=", " ", "https://a,", "tls-"})
    void evaluatesAMegabyteOfHostileTextInSeconds(String piece) {
        String text = piece.repeat(1_000_000 / piece.length());

        assertTimeoutPreemptively(Duration.ofSeconds(20), () -> {
            evaluate("v=TLSRPTv1;rua=" + text);
            evaluate("v=TLSRPTv1;" + text);
            TlsRptRecord.VERSION.isLookalike(text);
        });
    }

    @Test
    void limitsTheNumberOfErrors() {
        Evaluation evaluation = evaluate("v=TLSRPTv1;rua=" + "x,".repeat(5_000));

        assertThat(evaluation.findings()).hasSizeLessThan(10);
        @Nullable Object rua = evaluation.fields().get("rua");
        assertThat((List<?>) rua).hasSize(5_000);
    }
}
