package dev.plumbline.probe.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.lab.HttpFixture;
import dev.plumbline.support.Await;
import dev.plumbline.support.Curl;
import dev.plumbline.support.NginxServer;
import dev.plumbline.support.TestCheckContext;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares results with curl for pages of the lab and of Debian's nginx. */
@Tag("integration")
class CurlComparisonTest {
    @RegisterExtension
    static final HttpFixture FIXTURE = HttpFixture.start();

    private static final String SUMMARY =
            "%{http_code} %{num_redirects} %{http_version} %{content_type} %{url_effective}";

    private static HttpProbe probe;
    private static NginxServer nginx;

    @BeforeAll
    static void start(@TempDir Path folder) throws Exception {
        probe = FIXTURE.probe(HttpFixture.policy(List.of("127.0.0.0/8"), List.of("*")));
        nginx = NginxServer.start(
                folder,
                FIXTURE.identity(),
                """
            location = / { return 200 "nginx"; }
            location = /moved { return 301 /; }
            location = /forbidden { return 403; }
            location = /to-https { return 308 https://127.0.0.1:TLS/; }
            location / { return 404; }
            """);
    }

    @AfterAll
    static void stop() throws InterruptedException {
        if (nginx != null) {
            nginx.close();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/ok",
                "/page",
                "/status/204",
                "/status/404",
                "/status/418",
                "/status/503",
                "/chunked",
                "/until-closed",
                "/no-reason",
                "/bare-line-feeds",
                "/early-hints",
                "/length/long",
                "/head/404",
                "/redirect/301",
                "/redirect/302",
                "/redirect/303",
                "/redirect/307",
                "/redirect/308",
                "/redirect/deep/relative",
                "/redirect/dots",
                "/redirect/scheme-relative",
                "/redirect/absolute",
                "/redirect/two-locations",
                "/redirect/no-location",
                "/redirect/empty-location",
                "/redirect/chain/7",
                "/refresh"
            })
    void agreesWithCurlOnLabPages(String path) throws Exception {
        for (HttpRequestSpec.Method method : List.of(HttpRequestSpec.Method.HEAD, HttpRequestSpec.Method.GET)) {
            agrees(FIXTURE.lab().http(path), method);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "http, /",
        "http, /missing",
        "http, /moved",
        "http, /forbidden",
        "http, /to-https",
        "https, /",
        "https, /missing",
        "https, /moved"
    })
    void agreesWithCurlOnNginx(String scheme, String path) throws Exception {
        for (HttpRequestSpec.Method method : List.of(HttpRequestSpec.Method.HEAD, HttpRequestSpec.Method.GET)) {
            agrees(scheme.equals("http") ? nginx.http(path) : nginx.https(path), method);
        }
    }

    private static void agrees(String url, HttpRequestSpec.Method method) throws Exception {
        HttpRequestSpec call = method == HttpRequestSpec.Method.HEAD
                ? HttpRequestSpec.head(FIXTURE.url(url))
                : HttpRequestSpec.get(FIXTURE.url(url), 100_000);

        RedirectTrace trace = Await.value(probe.follow(TestCheckContext.create(), call, 10));

        assertThat(trace.error()).isNull();
        HttpExchange last = trace.last();
        assertThat(last).isNotNull();
        String type = last.headers().first("content-type");
        assertThat("%d %d %s %s %s"
                        .formatted(
                                last.status(),
                                trace.hops().size() - 1,
                                last.version().equals("1.0") ? "1" : last.version(),
                                type == null ? "" : type,
                                trace.url().text()))
                .isEqualTo(curl(url, method));
    }

    private static String curl(String url, HttpRequestSpec.Method method) throws Exception {
        return Curl.run(
                url,
                "--location",
                "--max-redirs",
                "10",
                "--output",
                "/dev/null",
                "--write-out",
                SUMMARY,
                method == HttpRequestSpec.Method.HEAD ? "--head" : "--get");
    }
}
