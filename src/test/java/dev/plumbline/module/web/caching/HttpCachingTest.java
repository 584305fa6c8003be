package dev.plumbline.module.web.caching;

import static dev.plumbline.module.web.HttpEvidence.codes;
import static dev.plumbline.module.web.HttpEvidence.page;
import static dev.plumbline.module.web.HttpEvidence.redirect;
import static dev.plumbline.module.web.HttpEvidence.trace;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.lab.HttpFixture;
import dev.plumbline.probe.http.HttpExchange;
import dev.plumbline.probe.http.HttpProbe;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.Evaluation;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Verdict;
import dev.plumbline.sheet.Options;
import dev.plumbline.support.ApacheServer;
import dev.plumbline.support.Curl;
import dev.plumbline.support.NginxServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HttpCachingTest {
    @RegisterExtension
    static final HttpFixture FIXTURE = HttpFixture.start();

    private static final ModuleDefinition<HttpCaching.Evidence> MODULE = SheetModule.load(new HttpCaching());
    private static final Instant NOW = Instant.parse("2026-11-20T10:00:00Z");
    private static final String DATE = "Date: Fri, 20 Nov 2026 10:00:00 GMT";

    private static HttpProbe probe;

    @BeforeAll
    static void start() {
        probe = FIXTURE.probe(HttpFixture.policy(List.of("127.0.0.0/8"), List.of("*")));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\'',
            nullValues = "-",
            value = {
                // status; headers; storable; lifetime; expected finding
                // the examples of RFC 9111 sections 5.2.2.1, 5.2.2.3, 5.2.3 and 5.3
                "200 | Cache-Control: max-age=5 | true | 5 | -",
                "200 | Cache-Control: must-understand, no-store | true | - | freshness_missing",
                "200 | Cache-Control: private, community=\"UCI\", max-age=5 | true | 5 | private_only",
                "200 | Expires: Thu, 01 Dec 1994 16:00:00 GMT | true | 0 | -",
                "200 | Cache-Control: must-revalidate, proxy-revalidate, no-transform, max-age=5 | true | 5 | -",
                "200 | Cache-Control: max-age=3600 | true | 3600 | -",
                "200 | Cache-Control: MAX-AGE=\"60\" | true | 60 | -",
                "200 | Cache-Control: public, max-age=99999999999999999999 | true | 2147483647 | -",
                "200 | Cache-Control: max-age=-1 | true | 0 | directive_invalid",
                "200 | Cache-Control: max-age=1.5 | true | 0 | directive_invalid",
                "200 | Cache-Control: max-age | true | 0 | directive_invalid",
                "200 | Cache-Control: max-age = 60 | true | - | directive_invalid",
                "200 | Cache-Control: max-age=60; public | true | 0 | directive_invalid",
                "200 | Cache-Control: max-age=60, max-age=5 | true | 60 | directive_repeated",
                "200 | Cache-Control: max-age=60 ~ Cache-Control: max-age=5 | true | 60 | directive_repeated",
                "200 | Cache-Control: max-age=60 ~ Cache-Control: max-age=60 | true | 60 | -",
                "200 | Cache-Control: no-cache | true | 0 | -",
                "200 | Cache-Control: no-cache, max-age=60 | true | 0 | -",
                "200 | Cache-Control: no-cache=\"set-cookie\", max-age=60 | true | 60 | -",
                "200 | Cache-Control: no-cache, immutable, max-age=60 | true | 0 | directives_conflict",
                "200 | Cache-Control: no-store | false | - | no_store",
                "200 | Cache-Control: no-store, max-age=60 | false | - | no_store",
                "200 | Cache-Control: no-store, public | false | - | directives_conflict",
                "200 | Cache-Control: no-store, must-understand, max-age=60 | true | 60 | -",
                "299 | Cache-Control: no-store, must-understand, max-age=60 | false | - | no_store",
                "200 | Cache-Control: private, max-age=60 | true | 60 | private_only",
                "200 | Cache-Control: private, s-maxage=60, max-age=5 | true | 5 | directives_conflict",
                "200 | Cache-Control: private=\"set-cookie\", s-maxage=60, max-age=5 | true | 5 | -",
                "200 | Cache-Control: s-maxage=60, max-age=5 | true | 5 | -",
                "200 | Cache-Control: s-maxage=60 | true | - | freshness_missing",
                "200 | Cache-Control: , max-age=60,, | true | 60 | -",
                "200 | Cache-Control: ext=\"a, no-store\", max-age=60 | true | 60 | -",
                "200 | Expires: Fri, 20 Nov 2026 11:00:00 GMT | true | 3600 | -",
                "200 | Expires: Friday, 20-Nov-26 11:00:00 GMT | true | 3600 | -",
                "200 | Expires: Fri Nov 20 11:00:00 2026 | true | 3600 | -",
                "200 | Expires: Fri, 20 Nov 2026 09:00:00 GMT | true | 0 | -",
                "200 | Expires: 0 | true | 0 | -",
                "200 | Expires: -1 | true | 0 | -",
                "200 | Expires: tomorrow | true | 0 | date_invalid",
                "200 | Expires: Fri, 20 Nov 2026 11:00:00 GMT ~ Cache-Control: max-age=5 | true | 5 | -",
                "200 | Expires: Fri, 20 Nov 2026 11:00:00 GMT ~ Expires: 0 | true | 3600 | header_repeated",
                "200 | Last-Modified: Tue, 10 Nov 2026 10:00:00 GMT | true | 86400 | heuristic_freshness",
                "200 | Last-Modified: Sat, 21 Nov 2026 10:00:00 GMT | true | 0 | heuristic_freshness",
                "200 | Last-Modified: yesterday | true | - | date_invalid",
                "500 | Last-Modified: Tue, 10 Nov 2026 10:00:00 GMT | false | - | -",
                "500 | Cache-Control: max-age=60 | true | 60 | -",
                "404 | Last-Modified: Tue, 10 Nov 2026 10:00:00 GMT | true | 86400 | heuristic_freshness",
                "302 | X: y | false | - | -",
                "200 | X: y | true | - | freshness_missing",
                "200 | Pragma: no-cache | true | - | pragma_only",
                "200 | Pragma: no-cache ~ Cache-Control: no-cache | true | 0 | -",
                "200 | Cache-Control: max-age=60 ~ Age: 60 | true | 60 | stale_on_arrival",
                "200 | Cache-Control: max-age=60 ~ Age: 59 | true | 60 | -",
                "200 | Cache-Control: max-age=60 ~ Vary: * | true | 60 | vary_any",
                "200 | Cache-Control: max-age=60 ~ Vary: Accept-Encoding, User-Agent | true | 60 | vary_diverse",
                "200 | Cache-Control: max-age=60 ~ Vary: Accept-Encoding | true | 60 | -",
                "200 | Cache-Control: public, max-age=60 ~ Set-Cookie: a=b | true | 60 | cookie_cached",
                "200 | Cache-Control: s-maxage=60, max-age=1 ~ Set-Cookie: a=b | true | 1 | cookie_cached",
                "200 | Cache-Control: private, max-age=60 ~ Set-Cookie: a=b | true | 60 | private_only",
                "200 | Cache-Control: max-age=60 ~ ETag: abc | true | 60 | etag_invalid",
                "200 | Cache-Control: max-age=60 ~ ETag: W/\"a\" ~ ETag: \"b\" | true | 60 | header_repeated"
            })
    void evaluatesFreshness(
            int status, String headers, boolean storable, @Nullable Long seconds, @Nullable String code) {
        String all = DATE + " ~ " + headers + (headers.contains("ETag") ? "" : " ~ ETag: \"v1\"");
        HttpExchange page = page("https://a.test/", status, "", all.split(" ~ "));

        Evaluation evaluation = evaluate(page, status == 200 ? 304 : null);

        assertThat(evaluation.fields()).containsEntry("storable", storable).containsEntry("freshness_seconds", seconds);
        List<String> codes = codes(evaluation).stream()
                .filter(each -> !each.equals("error_page"))
                .toList();
        if (code == null) {
            assertThat(codes).isEmpty();
        } else {
            assertThat(codes).contains(code);
        }
    }

    @Test
    void usesTheTimeOfReceiptWithoutDate() {
        Evaluation evaluation =
                evaluate(page("https://a.test/", 200, "", "Expires: Fri, 20 Nov 2026 11:00:00 GMT"), null);

        assertThat(evaluation.fields())
                .containsEntry("freshness_seconds", 3600L)
                .containsEntry("expires", Instant.parse("2026-11-20T11:00:00Z"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '\'',
            nullValues = "-",
            value = {
                "ETag: \"a\" | 304 | - | true | -",
                "ETag: \"a\" | 200 | \"a\" | false | not_revalidated",
                "ETag: \"a\" | 200 | \"b\" | false | etag_unstable",
                "ETag: \"a\" | 412 | - | false | not_revalidated",
                "Last-Modified: Tue, 10 Nov 2026 10:00:00 GMT | 304 | - | true | -",
                "X: y | - | - | false | validator_missing"
            })
    void evaluatesRevalidation(
            String header,
            @Nullable Integer status,
            @Nullable String etag,
            boolean revalidates,
            @Nullable String code) {
        HttpExchange page = page("https://a.test/", 200, "", "Cache-Control: max-age=60", header);
        HttpExchange conditional = status == null
                ? null
                : page("https://a.test/", status, "", etag == null ? new String[0] : new String[] {"ETag: " + etag});

        Evaluation evaluation = evaluate(new HttpCaching.Evidence(trace(page), conditional, NOW));

        assertThat(evaluation.fields()).containsEntry("revalidates", revalidates);
        assertThat(codes(evaluation)).isEqualTo(code == null ? List.of() : List.of(code));
    }

    @ParameterizedTest
    @CsvSource({
        "CF-Ray: 8c1-FRA, Cloudflare",
        "Via: 1.1 3c.cloudfront.net (CloudFront), Amazon CloudFront",
        "'X-Served-By: cache-fra-1, cache-ams-2', Fastly",
        "Server: AkamaiGHost, Akamai",
        "X-Azure-Ref: 0abc, Azure Front Door",
        "Server: BunnyCDN-DE1-722, bunny.net",
        "Via: 1.1 varnish, -",
        "Server: nginx, -"
    })
    void detectsCdn(String header, String cdn) {
        Evaluation evaluation = evaluate(page("https://a.test/", 200, "", header), null);

        assertThat(evaluation.fields()).containsEntry("cdn", cdn.equals("-") ? null : cdn);
        if (!cdn.equals("-")) {
            assertThat(evaluation.findings())
                    .filteredOn(finding -> finding.code().equals("cdn_detected"))
                    .singleElement()
                    .extracting(Finding::message)
                    .asString()
                    .contains(header.split(":")[0].toLowerCase(Locale.ROOT));
        }
    }

    @Test
    void reportsFieldsAndRedirect() {
        HttpExchange page = page(
                "https://b.test/",
                200,
                "",
                DATE,
                "Cache-Control: public, max-age=60, private=\"x\"",
                "Vary: Accept-Encoding, ORIGIN",
                "Vary: origin",
                "Age: 7, 9",
                "ETag: W/\"x\"");
        Evaluation evaluation = evaluate(new HttpCaching.Evidence(
                trace(redirect("https://a.test/", 301, "https://b.test/"), page),
                page("https://b.test/", 304, ""),
                NOW));

        assertThat(evaluation.fields())
                .containsEntry("cache_control", Map.of("public", "", "max-age", "60", "private", "x"))
                .containsEntry("vary", List.of("accept-encoding", "origin"))
                .containsEntry("age", 7L)
                .containsEntry("etag", "W/\"x\"")
                .containsEntry("expires", null)
                .containsEntry("last_modified", null);
        assertThat(codes(evaluation)).containsExactly("redirected");
    }

    @Tag("integration")
    @Test
    void agreesWithCurlOnNginxAndApache(@TempDir Path first, @TempDir Path second) throws Exception {
        try (NginxServer nginx = NginxServer.start(
                        first,
                        FIXTURE.identity(),
                        """
                root FOLDER/www;
                location /short { expires 60s; }
                location /none { expires -1; etag off; }
                location /no-store { add_header Cache-Control no-store; }
                location /old { if_modified_since off; etag off; }
                """);
                ApacheServer apache = ApacheServer.start(
                        second,
                        FIXTURE.identity(),
                        """
                ExpiresActive On
                <Location /short>
                ExpiresDefault "access plus 60 seconds"
                </Location>
                <Location /none>
                Header set Cache-Control "no-cache"
                </Location>
                <Location /no-store>
                Header set Cache-Control "no-store"
                </Location>
                <Location /old>
                RequestHeader unset If-None-Match
                RequestHeader unset If-Modified-Since
                </Location>
                """)) {
            for (Path folder : List.of(first, second)) {
                Path www = Files.createDirectories(folder.resolve("www"));
                for (String name : List.of("plain", "short", "none", "no-store", "old")) {
                    Path file = Files.writeString(www.resolve(name), "content of " + name);
                    // Apache sends a weak ETag for files that are less than a second old
                    Files.setLastModifiedTime(file, FileTime.from(Instant.now().minus(Duration.ofHours(1))));
                }
            }
            for (String server : List.of(nginx.https(""), apache.https(""), nginx.http(""))) {
                Map<String, CheckResult> results = Map.of(
                        "/plain", check(server + "/plain"),
                        "/short", check(server + "/short"),
                        "/none", check(server + "/none"),
                        "/no-store", check(server + "/no-store"),
                        "/old", check(server + "/old"));
                for (Map.Entry<String, CheckResult> each : results.entrySet()) {
                    assertAgreesWithCurl(server + each.getKey(), each.getValue());
                }
                assertThat(results.get("/short").fields()).containsEntry("freshness_seconds", 60L);
                assertThat(results.get("/none").fields()).containsEntry("freshness_seconds", 0L);
                assertThat(results.get("/no-store").fields()).containsEntry("storable", false);
                assertThat(results.get("/plain").fields()).containsEntry("revalidates", true);
                assertThat(results.get("/old").fields()).containsEntry("revalidates", false);
                assertThat(results.get("/old").findings())
                        .extracting(Finding::code)
                        .contains("not_revalidated");
                assertThat(results.get("/plain").verdict()).isEqualTo(Verdict.WARN);
            }
        }
    }

    private static CheckResult check(String url) {
        return FIXTURE.check(MODULE, probe, url, "");
    }

    private static void assertAgreesWithCurl(String url, CheckResult result) throws Exception {
        String[] curl = Curl.run(
                        url,
                        "--output",
                        "/dev/null",
                        "--write-out",
                        "%header{etag}|%header{last-modified}|%header{cache-control}|")
                .split("\\|", -1);
        assertThat(String.valueOf(result.fields().get("etag"))).as(url).isEqualTo(curl[0].isEmpty() ? "null" : curl[0]);
        assertThat(result.fields().get("cache_control") != null).isEqualTo(!curl[2].isEmpty());
        String status = Curl.run(
                url,
                "--output",
                "/dev/null",
                "--write-out",
                "%{http_code}",
                "--header",
                "If-None-Match: " + curl[0],
                "--header",
                "If-Modified-Since: " + curl[1]);
        assertThat(result.fields()).as(url).containsEntry("revalidates", status.equals("304"));
    }

    private static Evaluation evaluate(HttpExchange page, @Nullable Integer conditional) {
        return evaluate(new HttpCaching.Evidence(
                trace(page), conditional == null ? null : page("https://a.test/", conditional, ""), NOW));
    }

    private static Evaluation evaluate(HttpCaching.Evidence evidence) {
        return MODULE.evaluate(evidence, Options.defaults(MODULE.description()));
    }
}
