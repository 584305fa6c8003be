package dev.plumbline.module.mail.mtasts;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.lab.DnsFaults;
import dev.plumbline.module.mail.PolicySites;
import dev.plumbline.module.mail.mtasts.MtaStsLookup.PolicyResponse;
import dev.plumbline.module.mail.record.MailHosts;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.Evaluation;
import dev.plumbline.result.Finding;
import dev.plumbline.sheet.Options;
import dev.plumbline.support.Curl;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class MtaStsTest {
    private static final ModuleDefinition<MtaSts.Evidence> MODULE = SheetModule.load(new MtaSts());

    /** RFC 8461 appendix A. */
    private static final String RECORD = "v=STSv1; id=20160831085700Z;";

    private static final String POLICY =
            """
            version: STSv1
            mode: enforce
            mx: mx1.example.com
            mx: mx2.example.com
            mx: mx.backup-example.com
            max_age: 1296000
            """;
    private static final MailHosts HOSTS =
            new MailHosts(true, false, List.of("mx1.example.com", "mx2.example.com", "mx.backup-example.com"));

    private static Evaluation evaluate(String record, MailHosts hosts, PolicyResponse response) {
        return evaluate(List.of(record), hosts, response, null);
    }

    private static Evaluation evaluate(
            List<String> records, MailHosts hosts, @Nullable PolicyResponse response, @Nullable CheckError error) {
        return MODULE.evaluate(
                new MtaSts.Evidence("example.com", new MtaStsLookup(records, null, response, error), hosts, List.of()),
                Options.defaults(MODULE.description()));
    }

    private static PolicyResponse ok(String policy) {
        return new PolicyResponse(200, null, "text/plain", policy, false);
    }

    private static String codes(List<Finding> findings) {
        return findings.stream().map(Finding::code).sorted().collect(Collectors.joining(" "));
    }

    @ParameterizedTest
    @ValueSource(strings = {"\n", "\r\n", "  \r\n", "\n\n"})
    void acceptsTheExampleOfTheRfc(String end) {
        Evaluation evaluation = evaluate(RECORD, HOSTS, ok(POLICY.replace("\n", end)));

        assertThat(evaluation.findings()).isEmpty();
        assertThat(evaluation.fields())
                .containsEntry("id", "20160831085700Z")
                .containsEntry("mode", "enforce")
                .containsEntry("max_age", 1296000)
                .containsEntry("mx_patterns", List.of("mx1.example.com", "mx2.example.com", "mx.backup-example.com"))
                .containsEntry("mx_match", true)
                .containsEntry("policy_status", 200)
                .containsEntry("errors", List.of());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "none",
            value = {
                "id=1|1|''",
                "id=abcdefghijklmnopqrstuvwxyz012345;|abcdefghijklmnopqrstuvwxyz012345|''",
                "ext=x; id=1|1|unknown_tag",
                "ID=1|none|record_invalid unknown_tag",
                "''|none|record_invalid",
                "id=|none|record_invalid",
                "id=2026-01-01|none|record_invalid",
                "id=abcdefghijklmnopqrstuvwxyz0123456|none|record_invalid",
                "id=1; id=2|1|record_invalid",
                "id=1; text|1|record_invalid",
            })
    void reportsFindingsForEachRecord(String tags, @Nullable String id, String codes) {
        Evaluation evaluation = evaluate("v=STSv1; " + tags, HOSTS, ok(POLICY));

        assertThat(codes(evaluation.findings())).isEqualTo(codes);
        assertThat(evaluation.fields()).containsEntry("id", id);
        assertThat((List<?>) evaluation.fields().get("errors")).hasSize(codes.contains("record_invalid") ? 1 : 0);
    }

    /** Each policy is the example with a replacement. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "version: STSv1|version: STSv2|policy_invalid",
                "version: STSv1||policy_invalid",
                "version: STSv1|version:STSv1|''",
                "version: STSv1|Version: STSv1|policy_field_unknown policy_invalid",
                "version: STSv1|version STSv1|policy_invalid",
                "mode: enforce|mode: testing|mode_testing",
                "mode: enforce|mode: none|mode_none",
                "mode: enforce|mode: Enforce|policy_invalid",
                "mode: enforce||policy_invalid",
                "max_age: 1296000|max_age: 86400|max_age_short",
                "max_age: 1296000|max_age: 0|max_age_short",
                "max_age: 1296000|max_age: 604800|''",
                "max_age: 1296000|max_age: 31557600|''",
                "max_age: 1296000|max_age: 31557601|policy_invalid",
                "max_age: 1296000|max_age: 99999999999999999999|policy_invalid",
                "max_age: 1296000|max_age: 1d|policy_invalid",
                "max_age: 1296000|max_age: -1|policy_invalid",
                "max_age: 1296000|max_age: 1296000~max_age: 1|policy_field_repeated",
                "max_age: 1296000||policy_invalid",
                "mx: mx1|MX: mx1|mx_not_covered policy_field_unknown",
                "mx: mx1.example.com|mx: *.example.com|''",
                "mx: mx1.example.com|mx: MX1.EXAMPLE.COM|''",
                "mx: mx1.example.com|mx: other.example.com|mx_not_covered mx_pattern_unused",
                "mx: mx1.example.com|mx: mx1.example.com.|mx_not_covered policy_invalid",
                "mx: mx1.example.com|mx: *|mx_not_covered policy_invalid",
                "mx: mx1.example.com|mx: *.*.com|mx_not_covered policy_invalid",
                "mx: mx1.example.com|mx: .example.com|mx_not_covered policy_invalid",
                "mx: mx1.example.com|mx: mx1.example.com mx2.example.com|mx_not_covered policy_invalid",
                "mx: mx1.example.com|mx: b\u00fccher.example|mx_not_covered policy_invalid",
                "mx: mx1.example.com|mx: [192.0.2.1]|mx_not_covered policy_invalid",
                "mx: mx1.example.com|mx:|mx_not_covered policy_invalid",
            })
    void reportsFindingsForEachPolicy(String part, @Nullable String replacement, String codes) {
        String changed = replacement == null ? "" : replacement.replace("~", "\n");
        Evaluation evaluation = evaluate(RECORD, HOSTS, ok(POLICY.replace(part, changed)));

        assertThat(codes(evaluation.findings())).isEqualTo(codes);
        assertThat(((List<?>) evaluation.fields().get("errors")).isEmpty())
                .isEqualTo(!codes.contains("policy_invalid"));
    }

    /** RFC 8461 section 4.1. */
    @ParameterizedTest
    @CsvSource({
        "mail.example.com, mail.example.com, true",
        "*.example.com, mail.example.com, true",
        "*.example.com, example.com, false",
        "*.example.com, a.mail.example.com, false",
        "example.com, mail.example.com, false",
        "mail.example.com, example.com, false",
        "*.com, example.com, true",
        "example, example, true",
    })
    void matchesHostsAsTheRfcRequires(String pattern, String host, boolean matches) {
        assertThat(MtaStsPolicy.matches(Set.of(pattern), host)).isEqualTo(matches);
        Evaluation evaluation = evaluate(
                RECORD,
                new MailHosts(true, false, List.of(host)),
                ok("version: STSv1\nmode: testing\nmx: " + pattern + "\nmax_age: 604800"));
        assertThat(evaluation.fields()).containsEntry("mx_match", matches);
        assertThat(codes(evaluation.findings()))
                .isEqualTo(matches ? "mode_testing" : "mode_testing mx_not_covered_testing mx_pattern_unused");
    }

    @Test
    void reportsUnknownMailServersAndNullMx() {
        Evaluation unknown = evaluate(RECORD, new MailHosts(false, false, List.of("example.com")), ok(POLICY));
        Evaluation nullMx = evaluate(RECORD, new MailHosts(true, true, List.of()), ok(POLICY));

        assertThat(codes(unknown.findings())).isEqualTo("mx_unknown");
        assertThat(unknown.fields()).containsEntry("mx_match", null);
        assertThat(nullMx.findings()).isEmpty();
        assertThat(nullMx.fields()).containsEntry("mx_match", null);
    }

    @Test
    void modeNoneDoesNotRequireMailServers() {
        Evaluation evaluation = evaluate(RECORD, HOSTS, ok("version: STSv1\nmode: none\nmax_age: 86400\n"));

        assertThat(codes(evaluation.findings())).isEqualTo("mode_none");
        assertThat(evaluation.fields()).containsEntry("mx_match", null).containsEntry("errors", List.of());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "none",
            value = {
                "200|none|text/plain; charset=utf-8|''",
                "200|none|TEXT/PLAIN|''",
                "200|none|text/html|policy_content_type",
                "200|none|text/plainly|policy_content_type",
                "200|none|none|policy_content_type",
                "301|https://example.com/policy|text/plain|policy_redirected",
                "304|none|text/plain|policy_redirected",
                "404|none|text/html|policy_status_invalid",
                "500|none|text/plain|policy_status_invalid",
                "206|none|text/plain|policy_status_invalid",
            })
    void requiresStatus200AndPlainText(int status, @Nullable String location, @Nullable String type, String codes) {
        PolicyResponse response = new PolicyResponse(status, location, type, POLICY, false);

        Evaluation evaluation = evaluate(RECORD, HOSTS, response);

        assertThat(codes(evaluation.findings())).isEqualTo(codes);
        assertThat(evaluation.fields())
                .containsEntry("policy_status", status)
                .containsEntry("mode", status == 200 ? "enforce" : null);
    }

    @ParameterizedTest
    @EnumSource(ErrorCode.class)
    void reportsEachErrorOfThePolicyHost(ErrorCode code) {
        CheckError error = new CheckError(code, "Reason.");

        Evaluation evaluation = evaluate(List.of(RECORD), HOSTS, null, error);
        Evaluation absent = evaluate(List.of(), HOSTS, null, error);

        String expected =
                switch (code) {
                    case DNS_NXDOMAIN, DNS_NO_DATA -> "policy_host_missing";
                    case TLS_UNTRUSTED -> "policy_certificate_invalid";
                    default -> code.targetFault() ? "policy_unavailable" : "";
                };
        assertThat(codes(evaluation.findings())).isEqualTo(expected);
        assertThat(evaluation.error()).isEqualTo(expected.isEmpty() ? error : null);
        assertThat(evaluation.fields()).containsEntry("id", "20160831085700Z").containsEntry("mode", null);
        assertThat(codes(absent.findings())).isEqualTo("mta_sts_missing");
        assertThat(absent.error()).isNull();
    }

    @Test
    void reportsAPolicyWithoutARecord() {
        Evaluation policy = evaluate(List.of(), HOSTS, ok(POLICY), null);
        Evaluation page = evaluate(List.of(), HOSTS, ok("<title>Welcome</title>"), null);
        Evaluation several = evaluate(List.of(RECORD, "v=STSv1; id=2;"), HOSTS, ok(POLICY), null);

        assertThat(codes(policy.findings())).isEqualTo("policy_without_record");
        assertThat(policy.fields()).containsEntry("mode", "enforce").containsEntry("mx_match", null);
        assertThat(codes(page.findings())).isEqualTo("mta_sts_missing");
        assertThat(codes(several.findings())).isEqualTo("several_records");
        assertThat(several.fields()).containsEntry("id", null).containsEntry("mode", "enforce");
    }

    private static String location(String type, String policy) {
        return "location = /.well-known/mta-sts.txt { default_type %s; return 200 \"%s\"; }"
                .formatted(type, policy.replace("\n", "\\n"));
    }

    private static String policy(String domain) {
        return "version: STSv1\nmode: enforce\nmx: *." + domain + "\nmax_age: 604800\n";
    }

    @Tag("integration")
    @Test
    void agreesWithCurlOnNginx(@TempDir Path folder) throws Exception {
        Files.writeString(folder.resolve("large"), policy("large.test") + "x: y\n".repeat(20_000));
        Map<String, String> hosts = Map.of(
                "mta-sts.good.test", location("text/plain", policy("good.test")),
                "mta-sts.html.test", location("text/html", policy("html.test")),
                "mta-sts.page.test", location("text/html", "<title>Welcome</title>"),
                "mta-sts.moved.test", "return 301 https://mta-sts.good.test:TLS$request_uri;",
                "mta-sts.missing.test", "return 404;",
                "mta-sts.large.test", "root FOLDER; location / { default_type text/plain; try_files /large =404; }",
                "mta-sts.invalid.test", location("text/plain", policy("invalid.test")),
                "mta-sts.orphan.test", location("text/plain", policy("orphan.test")));
        Map<String, String> expected = Map.of(
                "good.test", "mx_tls_unknown",
                "html.test", "policy_content_type",
                "page.test", "policy_content_type",
                "moved.test", "policy_redirected",
                "missing.test", "policy_status_invalid",
                "large.test", "policy_too_large",
                "invalid.test", "policy_certificate_invalid",
                "orphan.test", "policy_without_record",
                "nohost.test", "policy_host_missing");
        try (PolicySites sites = new PolicySites(folder, hosts)) {
            ModuleDefinition<?> module = SheetModule.load(new MtaSts(sites.port()));
            for (String domain : expected.keySet()) {
                sites.dns().address(domain, "127.0.0.1").record(domain + ". 60 IN MX 10 mail." + domain + ".");
                if (!domain.equals("orphan.test")) {
                    sites.dns().record("_mta-sts." + domain + ". 60 IN TXT \"v=STSv1\\; id=1\"");
                }
            }
            sites.dns().address("private.test", "127.0.0.1").address("mta-sts.private.test", "169.254.169.254");
            sites.dns().record("_mta-sts.private.test. 60 IN TXT \"v=STSv1\\; id=1\"");
            for (Map.Entry<String, String> entry : expected.entrySet()) {
                CheckResult result = sites.check(module, entry.getKey(), "");

                assertThat(codes(result.findings())).as(entry.getKey()).isEqualTo(entry.getValue());
                String host = "mta-sts." + entry.getKey();
                if (hosts.containsKey(host)) {
                    String resolve = host + ":" + sites.port() + ":127.0.0.1";
                    String status = Curl.run(
                            "https://" + host + ":" + sites.port() + "/.well-known/mta-sts.txt",
                            "--resolve",
                            resolve,
                            "--output",
                            "/dev/null",
                            "--write-out",
                            "%{http_code}");
                    assertThat(result.fields())
                            .as(host)
                            .containsEntry("policy_status", host.contains("invalid") ? null : Integer.parseInt(status));
                }
            }
            assertThat(sites.check(module, "private.test", "").error().code()).isEqualTo(ErrorCode.TARGET_BLOCKED);
        }
    }

    @Tag("integration")
    @Test
    void reportsErrorsOfLookups(@TempDir Path folder) throws Exception {
        try (PolicySites sites = new PolicySites(folder, Map.of("unused.test", ""))) {
            sites.dns()
                    .record("null.test. 60 IN MX 0 .")
                    .address("lookalike.test", "127.0.0.1")
                    .record("_mta-sts.lookalike.test. 60 IN TXT \"v=stsv1\\; id=1\"")
                    .address("split.test", "10.0.0.1")
                    .address("lame.test", "127.0.0.1")
                    .behave("_mta-sts.lame.test", DnsFaults.rcode(2));

            assertThat(codes(sites.check(MODULE, "null.test", "").findings())).isEqualTo("not_required");
            assertThat(codes(sites.check(MODULE, "_mta-sts.lookalike.test", "").findings()))
                    .isEqualTo("lookalike mta_sts_missing");
            assertThat(sites.check(MODULE, "split.test", "").error().code()).isEqualTo(ErrorCode.TARGET_BLOCKED);
            assertThat(sites.check(MODULE, "lame.test", "").error().code()).isEqualTo(ErrorCode.DNS_SERVFAIL);
            assertThat(sites.check(MODULE, "missing.test", "").error().code()).isEqualTo(ErrorCode.DNS_NXDOMAIN);
        }
    }

    @Tag("integration")
    @Test
    void doesNotWaitForASilentPolicyHostWithoutARecord(@TempDir Path folder) throws Exception {
        try (PolicySites sites = new PolicySites(folder, Map.of("mta-sts.silent.test", ""));
                ServerSocket silent = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"))) {
            sites.dns().address("silent.test", "127.0.0.1");
            ModuleDefinition<?> module = SheetModule.load(new MtaSts(silent.getLocalPort()));

            CheckResult result = assertTimeoutPreemptively(
                    Duration.ofSeconds(20), () -> sites.check(module, "silent.test", "timeout_ms=30000"));

            assertThat(codes(result.findings())).isEqualTo("mta_sts_missing");
        }
    }

    @Provide
    Arbitrary<String> policies() {
        return Arbitraries.of(
                        "version", "mode", "mx", "max_age", ":", ": ", "STSv1", "enforce", "none", "1", "604800", "*.",
                        "a.test", ".", "\n", "\r\n", "\r", "\t", "\ufeff", "\u00e9", "\u0000")
                .list()
                .ofMaxSize(60)
                .map(list -> String.join("", list));
    }

    @Property(tries = 1000)
    void evaluatesAnyPolicy(@ForAll("policies") String text) {
        MtaStsPolicy policy = MtaStsPolicy.parse(text);
        if (policy.errors().isEmpty()) {
            assertThat(text).contains("STSv1");
            assertThat(policy.mode()).isNotNull();
            assertThat(policy.maxAge()).isBetween(0, MtaStsPolicy.MAX_AGE);
        }
        assertThat(policy.mxPatterns()).allMatch(pattern -> pattern.matches("(\\*\\.)?[a-z0-9.-]+"));
        assertThat(evaluate(RECORD, HOSTS, ok(text)).fields()).hasSize(8);
        assertThat(evaluate("v=STSv1;" + text, HOSTS, ok(POLICY)).fields()).hasSize(8);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\n",
                "a:",
                "a:\n",
                "mx:",
                "mx: a.b\n",
                "mx: *.",
                "mx: a",
                ".",
                " ",
                "\r",
                "version: STSv1\n",
                "\t\n",
                "1"
            })
    void evaluatesAMegabyteOfHostileTextInSeconds(String piece) {
        String text = piece.repeat(1_000_000 / piece.length());

        assertTimeoutPreemptively(Duration.ofSeconds(20), () -> {
            evaluate(RECORD, HOSTS, ok(text));
            evaluate(RECORD, HOSTS, ok("version: STSv1\nmode: enforce\nmax_age: 1\nmx: " + text));
            MtaStsLookup.VERSION.isLookalike(text);
        });
    }
}
