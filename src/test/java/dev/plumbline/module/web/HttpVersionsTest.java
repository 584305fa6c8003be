package dev.plumbline.module.web;

import static dev.plumbline.module.web.HttpEvidence.page;
import static dev.plumbline.module.web.HttpEvidence.url;
import static dev.plumbline.module.web.HttpEvidence.withVersion;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.dns.DnsResponse;
import dev.plumbline.lab.HostileHttp2;
import dev.plumbline.lab.HttpFixture;
import dev.plumbline.module.web.HttpVersions.Attempt;
import dev.plumbline.probe.dns.DnsLookupResult;
import dev.plumbline.probe.http.HttpProbe;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.Evaluation;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Verdict;
import dev.plumbline.sheet.Options;
import dev.plumbline.support.ApacheServer;
import dev.plumbline.support.Curl;
import dev.plumbline.support.NginxServer;
import dev.plumbline.support.OpensslServer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Type;

class HttpVersionsTest {
    @RegisterExtension
    static final HttpFixture FIXTURE = HttpFixture.start();

    private static final ModuleDefinition<HttpVersions.Evidence> MODULE = SheetModule.load(new HttpVersions());
    private static final CheckError TIMEOUT = new CheckError(ErrorCode.READ_TIMEOUT, "The connection timed out.");
    private static final CheckError PROTOCOL = new CheckError(ErrorCode.HTTP_PROTOCOL_ERROR, "PROTOCOL_ERROR.");
    private static final Attempt REJECTED = new Attempt(null, null);

    private static HttpProbe probe;

    @BeforeAll
    static void start() {
        FIXTURE.dns().address("lab.test", "127.0.0.1");
        probe = FIXTURE.probe(HttpFixture.policy(List.of("127.0.0.0/8"), List.of("*")));
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                // both, http1, http2; alpn; results; finding
                "2, 1.1, -, h2, true, true, -",
                "1.1, -, rejected, http/1.1, true, false, http2_missing",
                "1.1, -, rejected, -, true, false, http2_missing",
                "1.1, -, 2, http/1.1, true, true, http2_not_selected",
                "1.1, -, 2, -, true, true, http2_not_selected",
                "2, rejected, -, h2, false, true, http1_missing",
                "2, 426, -, h2, false, true, http1_missing",
                "2, 505, -, h2, false, true, http1_missing",
                "1.0, -, rejected, http/1.1, true, false, http10",
                "1.1, -, broken, http/1.1, true, false, http2_broken",
                "broken, 1.1, broken, h2, true, false, http2_broken",
                "2, timeout, -, h2, -, true, -",
                "1.1, -, timeout, http/1.1, true, -, -"
            })
    void reportsVersions(
            String both,
            @Nullable String one,
            @Nullable String two,
            @Nullable String alpn,
            @Nullable Boolean http1,
            @Nullable Boolean http2,
            @Nullable String code) {
        Evaluation evaluation = evaluate(new HttpVersions.Evidence(
                url("https://192.0.2.1/"),
                attempt(both, alpn),
                attempt(one, null),
                attempt(two, null),
                null,
                List.of()));

        assertThat(evaluation.fields())
                .containsEntry("http1", http1)
                .containsEntry("http2", http2)
                .containsEntry("alpn", alpn);
        List<String> codes = new ArrayList<>(codes(evaluation));
        codes.remove("http3_missing");
        if (code == null) {
            assertThat(codes).isEmpty();
        } else {
            assertThat(codes).contains(code);
        }
        boolean unknown = "timeout".equals(one) || "timeout".equals(two);
        assertThat(evaluation.error()).isEqualTo(unknown ? TIMEOUT : null);
    }

    @Test
    void reportsAnErrorIfNoVersionWorks() {
        Evaluation evaluation = evaluate(new HttpVersions.Evidence(
                url("https://192.0.2.1/"),
                attempt("broken", null),
                attempt("timeout", null),
                REJECTED,
                null,
                List.of()));

        assertThat(evaluation.error()).isEqualTo(PROTOCOL);
        assertThat(evaluation.findings()).isEmpty();
    }

    @Test
    void reportsTheTimeLimitIfItPreventedHttp1() {
        CheckError expired = new CheckError(ErrorCode.DEADLINE_EXCEEDED, "The check exceeded its time limit.");
        Evaluation evaluation = evaluate(new HttpVersions.Evidence(
                url("https://192.0.2.1/"),
                attempt("broken", null),
                new Attempt(null, expired),
                REJECTED,
                null,
                List.of()));

        assertThat(evaluation.error()).isEqualTo(expired);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\'',
            nullValues = "-",
            value = {
                "h3=\":443\"; ma=86400 | true | -",
                "h2=\":443\", h3=\":8443\" | true | -",
                "h3-29=\":443\"; ma=86400 | false | http3_drafts",
                "h2=\":443\" | false | http3_missing",
                "clear | false | http3_missing",
                "h3=\":443\"; ma=0 | false | http3_missing",
                "h3=443 | false | alt_svc_invalid",
                "- | false | http3_missing"
            })
    void detectsHttp3InAltSvc(@Nullable String header, boolean advertised, @Nullable String code) {
        String[] headers = header == null ? new String[0] : new String[] {"Alt-Svc: " + header};
        Attempt both = Attempt.of(withVersion(page("https://192.0.2.1/", 200, "", headers), "2", "h2"));
        Evaluation evaluation = evaluate(new HttpVersions.Evidence(
                url("https://192.0.2.1/"), both, attempt("1.1", null), null, null, List.of()));

        assertThat(evaluation.fields())
                .containsEntry("http3_advertised", advertised)
                .containsEntry("alt_svc", header);
        if (code == null) {
            assertThat(codes(evaluation)).isEmpty();
        } else {
            assertThat(codes(evaluation)).contains(code);
        }
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                // advertised, response or error; result, finding
                "true, response, true, -",
                "true, connect_refused, false, http3_broken",
                "true, tls_untrusted, false, http3_broken",
                "true, http_protocol_error, false, http3_broken",
                "true, read_timeout, -, http3_broken",
                "true, target_blocked, -, http3_not_tested",
                "true, deadline_exceeded, -, http3_not_tested",
                "true, internal, -, http3_not_tested",
                "false, response, true, http3_not_advertised",
                "false, connect_refused, false, http3_missing",
                "false, silence, -, http3_missing"
            })
    void reportsHttp3(boolean advertised, String outcome, @Nullable Boolean http3, @Nullable String finding) {
        String[] headers = advertised ? new String[] {"Alt-Svc: h3=\":443\""} : new String[0];
        boolean responded = outcome.equals("response");
        CheckError error =
                responded || outcome.equals("silence") ? null : new CheckError(ErrorCode.of(outcome), "The reason.");
        Evaluation evaluation = evaluate(new HttpVersions.Evidence(
                url("https://192.0.2.1/"),
                Attempt.of(withVersion(page("https://192.0.2.1/", 200, "", headers), "2", "h2")),
                attempt("1.1", null),
                null,
                new HttpVersions.Http3Attempt(443, responded, error),
                List.of()));

        assertThat(evaluation.fields()).containsEntry("http3", http3);
        assertThat(codes(evaluation)).isEqualTo(finding == null ? List.of() : List.of(finding));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\'',
            nullValues = "-",
            value = {
                // header, record; advertised, port, other host
                "- | - | false | 8000 | -",
                "h3=\":443\" | - | true | 443 | -",
                "h3=\"A.test:443\" | - | true | 443 | -",
                "h3-29=\":443\" | - | false | 8000 | -",
                "h3=\"b.test:443\", h3=\":8443\" | - | true | 8443 | -",
                "h3=\"b.test:443\" | - | true | 8000 | b.test",
                "- | 1 . alpn=h3 | true | 8000 | -",
                "- | 1 . alpn=h2 | false | 8000 | -",
                "- | 1 . alpn=h3 port=444 | true | 444 | -",
                "- | 1 A.test. alpn=h3 | true | 8000 | -",
                "- | 1 b.test. alpn=h3 | true | 8000 | b.test",
                "h3=\"b.test:443\" | 1 . alpn=h3 | true | 8000 | -"
            })
    void selectsTheHttp3ServiceOfTheSameHost(
            @Nullable String header, @Nullable String record, boolean advertised, int port, @Nullable String otherHost)
            throws Exception {
        List<DnsLookupResult> lookups = List.of();
        if (record != null) {
            Name owner = Name.fromString("_8000._https.a.test.");
            DnsResponse response = new DnsResponse(
                    owner,
                    Type.HTTPS,
                    Rcode.NOERROR,
                    List.of(),
                    List.of(Record.fromString(owner, Type.HTTPS, DClass.IN, 60, record, Name.root)),
                    List.of(),
                    false,
                    60,
                    null,
                    1);
            lookups = List.of(new DnsLookupResult("HTTPS", response, null));
        }

        assertThat(Http3Service.of(url("https://a.test:8000/"), header, lookups))
                .isEqualTo(new Http3Service(advertised, port, otherHost));
    }

    @Test
    void doesNotReportAbsenceIfTheLookupFailed() {
        DnsLookupResult failed =
                new DnsLookupResult("HTTPS", null, new CheckError(ErrorCode.DNS_SERVFAIL, "The resolver failed."));
        Evaluation evaluation = evaluate(new HttpVersions.Evidence(
                url("https://a.test/"), attempt("2", "h2"), attempt("1.1", null), null, null, List.of(failed)));

        assertThat(codes(evaluation)).containsExactly("https_record_unknown");
    }

    @Test
    void reportsRedirect() {
        Evaluation evaluation = evaluate(new HttpVersions.Evidence(
                url("http://a.test/"),
                Attempt.of(HttpEvidence.redirect("http://a.test/", 301, "https://a.test/")),
                null,
                null,
                null,
                List.of()));

        assertThat(codes(evaluation)).containsExactly("plain_http", "redirect_not_followed");
        assertThat(evaluation.fields()).containsEntry("http1", true).containsEntry("http2", false);
    }

    @Tag("integration")
    @Test
    void detectsHttp3InHttpsRecords(@TempDir Path folder) throws Exception {
        try (NginxServer nginx = NginxServer.start(folder, FIXTURE.identity(), "location / { return 200; }")) {
            int port = FIXTURE.url(nginx.https("/")).port();
            String name = "_" + port + "._https.lab.test";
            String url = "https://lab.test:" + port;
            FIXTURE.dns().record(name + ". 1 IN HTTPS 0 alias.test.");
            FIXTURE.dns().record("alias.test. 1 IN HTTPS 1 . alpn=h3,h2");
            CheckResult result = FIXTURE.check(MODULE, probe, url + "/", "");

            assertThat(result.fields())
                    .containsEntry("http3", null)
                    .containsEntry("http3_advertised", true)
                    .containsEntry("alt_svc", null);
            // the alias leads to another host
            assertThat(codes(result)).containsExactly("http3_not_tested");
            assertThat(codes(FIXTURE.check(MODULE, probe, nginx.https("/"), "")))
                    .containsExactly("http3_missing");
        }
    }

    @Test
    void recommendsAnHttpsRecord() {
        DnsResponse none = new DnsResponse(
                Name.root, Type.HTTPS, Rcode.NOERROR, List.of(), List.of(), List.of(), false, 60, null, 1);
        String header = "Alt-Svc: h3=\":443\"";
        Evaluation evaluation = evaluate(new HttpVersions.Evidence(
                url("https://a.test/"),
                Attempt.of(withVersion(page("https://a.test/", 200, "", header), "2", "h2")),
                attempt("1.1", null),
                null,
                null,
                List.of(new DnsLookupResult("HTTPS", none, null))));

        assertThat(codes(evaluation)).containsExactly("http3_not_in_dns");
        assertThat(evaluation.findings().get(0).action()).contains("`a.test. HTTPS 1 . alpn=\"h3,h2\"`");
    }

    @Tag("integration")
    @Test
    void agreesWithCurlOnOtherServers(@TempDir Path first, @TempDir Path second, @TempDir Path third) throws Exception {
        try (NginxServer nginx = NginxServer.start(first, FIXTURE.identity(), "location / { return 200; }");
                ApacheServer apache = ApacheServer.start(second, FIXTURE.identity(), "");
                OpensslServer openssl = OpensslServer.start(third, FIXTURE.identity(), "-alpn", "http/1.1")) {
            List<String> urls = List.of(
                    nginx.https("/"),
                    nginx.http("/"),
                    apache.https("/"),
                    "https://127.0.0.1:" + openssl.port() + "/",
                    FIXTURE.lab().secure("/ok"));
            for (String url : urls) {
                CheckResult result = FIXTURE.check(MODULE, probe, url, "");

                assertThat(result.error()).isNull();
                assertThat(result.fields())
                        .as(url)
                        .containsEntry("http1", curl(url, "--http1.1").startsWith("1"))
                        .containsEntry(
                                "http2",
                                url.startsWith("https") && curl(url, "--http2").equals("2"));
            }
            CheckResult old = FIXTURE.check(MODULE, probe, "https://127.0.0.1:" + openssl.port() + "/", "");
            assertThat(old.verdict()).isEqualTo(Verdict.WARN);
            assertThat(codes(old)).contains("http2_missing");
            assertThat(old.fields()).containsEntry("alpn", "http/1.1");
        }
    }

    @Test
    void reportsErrorOfHostileHttp2Servers() {
        for (HostileHttp2 server : FIXTURE.lab().hostileHttp2()) {
            CheckResult result = FIXTURE.check(MODULE, server.url(), "timeout_ms=3000");

            // these servers do not support HTTP/1.1 either
            if (!server.name().equals("too_much_data")) {
                assertThat(result.verdict()).as(server.name()).isEqualTo(Verdict.ERROR);
            }
        }
    }

    private static List<String> codes(CheckResult result) {
        return result.findings().stream().map(Finding::code).toList();
    }

    private static String curl(String url, String version) throws Exception {
        return Curl.run(url, version, "--output", "/dev/null", "--write-out", "%{http_version}");
    }

    private static @Nullable Attempt attempt(@Nullable String outcome, @Nullable String alpn) {
        if (outcome == null) {
            return null;
        }
        return switch (outcome) {
            case "rejected" -> REJECTED;
            case "broken" -> new Attempt(null, PROTOCOL);
            case "timeout" -> new Attempt(null, TIMEOUT);
            case "426", "505" -> Attempt.of(page("https://192.0.2.1/", Integer.parseInt(outcome), ""));
            default -> Attempt.of(withVersion(page("https://192.0.2.1/", 200, ""), outcome, alpn));
        };
    }

    private static List<String> codes(Evaluation evaluation) {
        return HttpEvidence.codes(evaluation);
    }

    private static Evaluation evaluate(HttpVersions.Evidence evidence) {
        return MODULE.evaluate(evidence, Options.defaults(MODULE.description()));
    }
}
