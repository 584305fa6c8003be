package dev.plumbline.e2e.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.support.Await;
import dev.plumbline.support.RawHttpClient;
import dev.plumbline.support.SampleComposite;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The page of a composite check in progress shows each part when it completes, and ends with the report. */
@Tag("integration")
class CompositeReportTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private static ServiceUnderTest service;

    @BeforeAll
    static void start(@TempDir Path folder) {
        service = SampleComposite.start(
                folder, DATABASE, Map.of("LIMITS_FRESH_PER_HOUR", "3", "CHECKS_CONCURRENT", "48"));
    }

    @AfterAll
    static void stop() {
        service.close();
    }

    private static String path(String target) {
        return "/check/" + SampleComposite.NAME + "/" + target;
    }

    /** A response of which only the head has been read. */
    private static HttpResponse<Stream<String>> open(String target, String client) {
        HttpRequest request = HttpRequest.newBuilder(service.uri(path(target)))
                .header("X-Forwarded-For", client)
                .header("Accept-Encoding", "gzip")
                .build();
        return CLIENT.sendAsync(request, HttpResponse.BodyHandlers.ofLines()).join();
    }

    private static Document complete(String target, String client) {
        HttpResponse<String> response = service.page(path(target), "X-Forwarded-For", client);
        assertThat(response.statusCode()).isEqualTo(200);
        return Jsoup.parse(response.body());
    }

    private static List<String> rows(Document page, String list) {
        return page.select(list + " .parts li .name").eachText();
    }

    @Test
    void partsAppearBeforeTheReportAndAreNotRepeatedByAReload() {
        HttpResponse<Stream<String>> response = open("progress.example", "203.0.113.1");

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("x-accel-buffering")).contains("no");
        assertThat(response.headers().firstValue("content-encoding")).isEmpty();
        assertThat(response.headers().firstValue("content-length")).isEmpty();
        assertThat(response.headers().firstValue("content-security-policy")).isPresent();
        StringBuilder html = new StringBuilder();
        response.body().forEach(line -> {
            html.append(line).append('\n');
            if (line.contains(">Quick part<")) {
                // the report cannot be complete yet
                SampleComposite.release("progress.example");
            }
        });
        Document page = Jsoup.parse(html.toString());
        assertThat(page.select(".in-progress h1").text()).isEqualTo("progress.example");
        assertThat(rows(page, ".in-progress")).contains("Failing part", "Quick part");
        assertThat(page.select(".in-progress ~ article.report .verdict")).hasSize(1);
        assertThat(page.select("main ~ footer")).hasSize(1);
        assertThat(page.select(".age").text()).contains("Fresh result");

        Document reload = complete("progress.example", "203.0.113.1");

        assertThat(reload.select(".in-progress")).isEmpty();
        assertThat(reload.select(".age").text()).contains("Cached result");
        assertThat(reload.select("link[rel=canonical]").attr("href"))
                .isEqualTo(page.select("link[rel=canonical]").attr("href"));
    }

    @Test
    void theReportShowsAreasAndPartsWithTheirOwnReports() {
        SampleComposite.release("report.example");
        Document page = complete("report.example", "203.0.113.2");

        assertThat(page.select(".verdict > .grade").text()).isEqualTo("Grade B 81 of 100");
        assertThat(page.select(".areas li").eachText()).containsExactly("Web C 61 of 100", "DNS A 100 of 100");
        for (String area : page.select(".areas a").eachAttr("href")) {
            assertThat(page.select(area)).hasSize(1);
        }
        assertThat(page.select("#field-fix_first .causes > li > :not(details)").eachText())
                .containsExactly(
                        "Security risk Sample failure",
                        "The sample fails.",
                        "Set max-age=31536000.",
                        "Details: Slow part");
        assertThat(page.select("#field-fix_first details").text())
                .isEqualTo(
                        "Also affects 1 other check Error Failing part Connection refused by https://report.example/");
        assertThat(page.select("section:has(> #parts) .area").eachText()).containsExactly("Web 1 failed");
        assertThat(page.select("#field-parts > .parts li").eachText())
                .containsExactly("Fail Slow part The sample fails.");
        assertThat(page.select("#field-parts > details:not([open])").eachText())
                .containsExactly(
                        "1 not determined Error Failing part Connection refused by https://report.example/",
                        "DNS 1 passed Pass Quick part");
        assertThat(page.select("#field-parts .parts a").eachAttr("href"))
                .containsExactly(
                        "/check/sample-slow/report.example",
                        "/check/sample-failing/https%3A%2F%2Freport.example%2F",
                        "/check/sample-quick/report.example");
        assertThat(page.select("[id=field-parts], [id=field-areas]").eachAttr("id"))
                .containsExactly("field-areas", "field-parts");
        assertThat(page.select(".findings")).isEmpty();
        assertThat(page.select(".verdict .summary").text()).isEqualTo("Fail. The sample fails.");
        Document part = Jsoup.parse(
                service.page(page.select("#field-parts .parts a").get(0).attr("href"), "X-Forwarded-For", "203.0.113.3")
                        .body());
        assertThat(part.select(".age").text()).contains("Cached result");
    }

    @Test
    void requestsThatAreNotNavigationsDoNotRunTheCheck() {
        assertThat(service.pageBy("HEAD", path("unopened.example")).statusCode())
                .isEqualTo(200);
        HttpResponse<String> prefetch = service.page(path("unopened.example"), "Sec-Purpose", "prefetch");

        assertThat(prefetch.statusCode()).isEqualTo(200);
        assertThat(Jsoup.parse(prefetch.body()).select("main").text()).contains("No cached result");
    }

    @Test
    void rejectionsBeforeTheFirstPartOfThePageHaveTheirStatus() {
        for (String target : List.of("limit1.example", "limit2.example", "limit3.example")) {
            SampleComposite.release(target);
            complete(target, "203.0.113.4");
        }

        assertThat(service.page(path("limit4.example"), "X-Forwarded-For", "203.0.113.4")
                        .statusCode())
                .isEqualTo(429);
        assertThat(service.page(path("two%20words")).statusCode()).isEqualTo(422);
        assertThat(service.page(path("localhost")).statusCode()).isEqualTo(422);
        assertThat(service.page(path("a.example") + "?nonsense=1").statusCode()).isEqualTo(422);
    }

    @Test
    void aLaterRejectionIsShownInThePage() {
        HttpResponse<Stream<String>> first = open("busy1.example", "203.0.113.5");
        HttpResponse<Stream<String>> second = open("busy2.example", "203.0.113.5");

        HttpResponse<Stream<String>> third = open("busy3.example", "203.0.113.6");
        Document page = Jsoup.parse(third.body().collect(Collectors.joining("\n")));

        assertThat(third.statusCode()).isEqualTo(200);
        assertThat(page.select(".in-progress ~ article [role=alert]").text()).contains("Service overloaded");
        SampleComposite.release("busy1.example");
        SampleComposite.release("busy2.example");
        for (HttpResponse<Stream<String>> held : List.of(first, second)) {
            assertThat(held.body().anyMatch(line -> line.contains("class=\"report\"")))
                    .isTrue();
        }
    }

    @Test
    void theCheckCompletesAfterTheClientHasDisconnected() throws IOException {
        try (RawHttpClient client = RawHttpClient.connect(service.uri("/").getPort())) {
            client.send("GET " + path("left.example") + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
            assertThat(client.headOnly().head().toLowerCase(Locale.ROOT)).contains("transfer-encoding: chunked");
        }
        SampleComposite.release("left.example");

        Await.until(() -> service.page(path("left.example"), "Sec-Purpose", "prefetch")
                .body()
                .contains("class=\"report\""));
        Await.until(() -> service.send("GET", service.management("/metrics"))
                .body()
                .contains("plumbline_http_active_requests 0"));
    }

    @Test
    void anHttp10ClientReceivesThePageUntilTheConnectionCloses() throws IOException {
        try (Socket socket = new Socket("127.0.0.1", service.uri("/").getPort())) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream()
                    .write(("GET " + path("old.example") + " HTTP/1.0\r\nHost: localhost\r\n\r\n")
                            .getBytes(StandardCharsets.US_ASCII));
            BufferedReader in =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
            StringBuilder received = new StringBuilder();
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                received.append(line).append('\n');
                if (line.contains(">Quick part<")) {
                    SampleComposite.release("old.example");
                }
            }
            assertThat(received.toString())
                    .doesNotContain("chunked")
                    .contains("class=\"report\"")
                    .endsWith("</html>\n");
        }
    }
}
