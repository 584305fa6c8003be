package dev.plumbline.module.web;

import static dev.plumbline.module.web.HttpEvidence.codes;
import static dev.plumbline.module.web.HttpEvidence.page;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.lab.HttpFixture;
import dev.plumbline.probe.http.HttpExchange;
import dev.plumbline.probe.http.HttpHeader;
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
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HttpHeadersTest {
    @RegisterExtension
    static final HttpFixture FIXTURE = HttpFixture.start();

    private static final ModuleDefinition<HttpExchange> MODULE = SheetModule.load(new HttpHeaders());
    private static final String DATE = "Date: Sun, 06 Nov 1994 08:49:37 GMT";
    private static final String TYPE = "Content-Type: text/plain";

    @TempDir
    Path folder;

    /** Headers in addition to a valid Date and Content-Type. */
    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource(
            delimiter = '|',
            value = {
                "200 | X-A: 1 | -",
                "200 | X-A: 1; X-A: 2; Set-Cookie: a=b; Set-Cookie: c=d | -",
                "200 | ETag: \"a\"; ETag: \"b\" | header_repeated",
                "200 | Server: a; server: b; Age: 1 | header_repeated",
                "200 | Transfer-Encoding: chunked | -",
                "200 | Transfer-Encoding: chunked; Content-Length: 5 | framing_conflict",
                "200 | X A: 1 | invalid_name",
                "200 | X-A: caf\u00e9 | not_ascii",
                "200 | X-A: caf\u00c3\u00a9 | not_ascii",
                "200 | Host: a.test; Referer: b | request_header",
                "200 | Pragma: no-cache | obsolete_header",
                "200 | P3P: CP=CAO; Warning: 199 | obsolete_header",
                "301 | Location: /b | redirect_not_followed",
                "304 | Location: /b | -",
                "404 | X-A: 1 | error_page",
                "503 | Retry-After: 5; Retry-After: 6 | header_repeated error_page"
            })
    void reportsEachProblem(int status, String headers, String expected) {
        List<String> lines = new ArrayList<>(List.of(DATE, TYPE));
        lines.addAll(List.of(headers.split("; ")));

        Evaluation evaluation = evaluate(page("https://a.test/", status, "", lines.toArray(String[]::new)));

        assertThat(codes(evaluation)).isEqualTo(expected.equals("-") ? List.of() : List.of(expected.split(" ")));
    }

    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource(
            delimiter = '|',
            value = {
                "200 | Content-Type: text/plain | date_missing",
                "500 | Content-Type: text/plain | error_page",
                "200 | Content-Type: text/plain; Date: yesterday | date_invalid",
                "200 | Content-Type: text/plain; Date: Sun, 06 Nov 1994 08:49:37 GMT | -",
                // a weekday that does not match the date
                "200 | Content-Type: text/plain; Date: Mon, 06 Nov 1994 08:49:37 GMT | date_invalid",
                "200 | Date: Sun, 06 Nov 1994 08:49:37 GMT | content_type_missing",
                "204 | Date: Sun, 06 Nov 1994 08:49:37 GMT | -",
                "200 | Date: Sun, 06 Nov 1994 08:49:37 GMT; Content-Length: 0 | -",
                "301 | Date: Sun, 06 Nov 1994 08:49:37 GMT; Location: /b | redirect_not_followed",
                "200 | Date: Sun, 06 Nov 1994 08:49:37 GMT; Content-Type: html | content_type_invalid",
                "200 | Date: Sun, 06 Nov 1994 08:49:37 GMT; Content-Type: text/ | content_type_invalid",
                "200 | Date: Sun, 06 Nov 1994 08:49:37 GMT; Content-Type: text/html,text/html | content_type_invalid",
                "200 | Date: Sun, 06 Nov 1994 08:49:37 GMT; Content-Type: image/svg+xml | -"
            })
    void reportsDateAndContentType(int status, String headers, String expected) {
        Evaluation evaluation = evaluate(page("https://a.test/", status, "", headers.split("; ")));

        assertThat(codes(evaluation)).isEqualTo(expected.equals("-") ? List.of() : List.of(expected.split(" ")));
    }

    @Test
    void keepsEachLineOfARepeatedHeader() {
        Evaluation evaluation = evaluate(
                page("https://a.test/", 200, "", DATE, "Set-Cookie: a=b", TYPE, "Set-Cookie: c=caf\u00c3\u00a9\u0001"));

        assertThat(evaluation.fields())
                .containsEntry("set_cookie_count", 2)
                .containsEntry(
                        "headers",
                        Map.of(
                                "date", List.of("Sun, 06 Nov 1994 08:49:37 GMT"),
                                "set-cookie", List.of("a=b", "c=caf\u00e9"),
                                "content-type", List.of("text/plain")));
        assertThat(((Map<?, ?>) evaluation.fields().get("headers")).keySet().toArray())
                .containsExactly("date", "set-cookie", "content-type");
    }

    @Test
    void reportsLargeHeaders() {
        String limit = "X-A: " + "x".repeat(8_192 - 96);

        Evaluation under = evaluate(page("https://a.test/", 200, "", DATE, TYPE, limit.substring(0, 8_000)));
        Evaluation over = evaluate(page("https://a.test/", 200, "", DATE, TYPE, limit + "x".repeat(30)));

        assertThat(codes(under)).isEmpty();
        assertThat(codes(over)).containsExactly("headers_large");
        assertThat(over.findings().get(0).message()).contains(over.fields().get("header_bytes") + " bytes");
    }

    /** The lab sends both lengths; the body is chunked (RFC 9112 section 6.3). */
    @Test
    void readsBothFramingHeaders() {
        CheckResult result = FIXTURE.check(MODULE, "/headers/framing", "");

        assertThat(result.error()).isNull();
        assertThat(result.findings()).extracting(Finding::code).contains("framing_conflict");
        assertThat(result.verdict()).isEqualTo(Verdict.WARN);
    }

    @ParameterizedTest
    @CsvSource({"head, HEAD", "get, GET"})
    void sendsTheSelectedMethod(String option, String method) {
        FIXTURE.check(MODULE, "/ok?" + option, "method=" + option);

        assertThat(FIXTURE.lab().requestsFor("/ok?" + option))
                .singleElement()
                .asString()
                .startsWith(method + " ");
    }

    @ParameterizedTest
    @CsvSource({
        "/headers/100000, response_too_large",
        "/endless/headers, response_too_large",
        "/no-colon, http_protocol_error",
        "/closed, connection_reset"
    })
    void reportsErrors(String path, String error) {
        CheckResult result = FIXTURE.check(MODULE, path, "");

        assertThat(result.error().code().id()).isEqualTo(error);
        assertThat(result.verdict()).isEqualTo(Verdict.ERROR);
    }

    @Tag("integration")
    @Test
    void agreesWithCurlOnNginx() throws Exception {
        try (NginxServer nginx = NginxServer.start(
                folder,
                FIXTURE.identity(),
                """
            add_header X-Twice one;
            add_header X-Twice two;
            add_header Set-Cookie "a=b; Path=/";
            add_header Set-Cookie "c=d; HttpOnly";
            location = /text { return 200 "hello"; }
            location = /moved { return 302 /text; }
            location = /none { return 204; }
            """)) {
            for (String path : List.of("/text", "/moved", "/none", "/missing")) {
                assertAgreesWithCurl(nginx.http(path));
                assertAgreesWithCurl(nginx.https(path));
            }
        }
    }

    @Tag("integration")
    @Test
    void agreesWithCurlOnApache() throws Exception {
        try (ApacheServer apache = ApacheServer.start(
                folder,
                FIXTURE.identity(),
                """
            Header always add X-Twice one
            Header always add X-Twice two
            Header add Set-Cookie "a=b"
            # the ETag of a new file changes
            FileETag None
            Redirect 301 /moved /index.html
            """)) {
            Files.writeString(folder.resolve("www/index.html"), "<p>hello");
            for (String path : List.of("/", "/index.html", "/moved", "/missing")) {
                assertAgreesWithCurl(apache.http(path));
                assertAgreesWithCurl(apache.https(path));
            }
        }
    }

    @Property(tries = 500)
    void evaluatesArbitraryHeaders(
            @ForAll @StringLength(max = 30) String name, @ForAll @StringLength(max = 300) String value) {
        HttpExchange response = withHeaders(new HttpHeader(name, value), new HttpHeader("content-type", value));

        assertThat(evaluate(response).fields()).containsKeys("headers", "header_bytes");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", ";", "/", "\"", "\\", "a/", " ", "\u00e9", "\ud800"})
    void evaluatesAMegabyteInLinearTime(String piece) {
        String text = piece.repeat((1 << 20) / piece.length());

        assertTimeoutPreemptively(
                Duration.ofSeconds(20),
                () -> evaluate(withHeaders(
                        new HttpHeader(text, text),
                        new HttpHeader("content-type", text),
                        new HttpHeader("date", text))));
    }

    private static HttpExchange withHeaders(HttpHeader... headers) {
        return HttpEvidence.withHeaders(page("https://a.test/", 200, ""), List.of(headers));
    }

    private void assertAgreesWithCurl(String url) throws Exception {
        HttpProbe probe = FIXTURE.probe(HttpFixture.policy(List.of("127.0.0.0/8"), List.of("*")));
        for (String method : List.of("get", "head")) {
            CheckResult result = FIXTURE.check(MODULE, probe, url, "method=" + method);

            List<String> options = new ArrayList<>(List.of(
                    "--dump-header", "-", "--output", "/dev/null", "--write-out", "%{http_version} %{size_header}"));
            if (method.equals("head")) {
                options.add("--head");
            }
            if (url.startsWith("http:")) {
                options.addAll(List.of("--header", "Connection: close"));
            }
            List<String> lines =
                    Curl.run(url, options.toArray(String[]::new)).lines().toList();
            Map<String, List<String>> curl = new LinkedHashMap<>();
            for (String line : lines.subList(1, lines.size() - 2)) {
                String[] parts = line.split(": ?", 2);
                curl.computeIfAbsent(parts[0].toLowerCase(Locale.ROOT), name -> new ArrayList<>())
                        .add(parts[1].strip());
            }
            if (url.startsWith("https:") && curl.containsKey("content-length")) {
                curl.put("content-length", curl.remove("content-length"));
            }
            Map<?, ?> headers = new LinkedHashMap<>((Map<?, ?>) result.fields().get("headers"));
            assertThat(headers.keySet().toArray())
                    .as(url)
                    .isEqualTo(curl.keySet().toArray());
            // the date is different if a second ends between the requests
            headers.remove("date");
            curl.remove("date");
            assertThat(headers).as(url).isEqualTo(curl);
            assertThat(lines.get(lines.size() - 1))
                    .isEqualTo(result.fields().get("http_version") + " "
                            + result.fields().get("header_bytes"));
            assertThat(result.fields())
                    .containsEntry("status", Integer.parseInt(lines.get(0).split(" ")[1]));
        }
    }

    private static Evaluation evaluate(HttpExchange response) {
        return MODULE.evaluate(response, Options.defaults(MODULE.description()));
    }
}
