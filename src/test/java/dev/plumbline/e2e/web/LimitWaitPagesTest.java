package dev.plumbline.e2e.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.account.Plan;
import dev.plumbline.account.TestAccounts;
import dev.plumbline.lab.HttpLab;
import dev.plumbline.support.Await;
import dev.plumbline.support.CookieClient;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Waits for the limits of targets on pages. */
@Tag("integration")
class LimitWaitPagesTest {
    private static final String EMAIL = "waiting@plumbline.example";
    private static final String PASSWORD = "a password for the tests";
    private static final int PER_SECOND = 4;

    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static ServiceUnderTest service;
    private static HttpLab lab;

    @BeforeAll
    static void start() {
        lab = Await.value(HttpLab.start(DATABASE.vertx()));
        service = ServiceUnderTest.start(
                DATABASE.url(),
                Map.of("TARGETS_PER_IP_PER_SECOND", Integer.toString(PER_SECOND), "LIMITS_FRESH_PER_HOUR", "0"));
        TestAccounts accounts = new TestAccounts(DATABASE.open());
        accounts.account(EMAIL, Plan.PRO, PASSWORD);
    }

    @AfterAll
    static void stop() {
        service.close();
    }

    @Test
    void thePageOfAJobShowsTheLimitsThatItsLinesWaitFor() {
        CookieClient owner = new CookieClient(service);
        assertThat(owner.signIn(EMAIL, PASSWORD).statusCode()).isEqualTo(200);
        String lines =
                IntStream.range(0, 40).mapToObj(i -> lab.http("/ok?line=" + i)).collect(Collectors.joining("\n"));
        HttpResponse<String> created = owner.rawForm(
                "/bulk", "bulk-tool=http-status&bulk-lines=" + URLEncoder.encode(lines, StandardCharsets.UTF_8));
        String path = created.headers().firstValue("Location").orElseThrow();

        List<Document> waiting = new ArrayList<>();
        Await.until(() -> {
            Document job = Jsoup.parse(owner.page(path).body());
            if (job.select("#job-waiting").text().contains(PER_SECOND + " connections per second")) {
                waiting.add(job);
            }
            return !waiting.isEmpty();
        });
        assertThat(waiting.get(0).select("#job-waiting li").eachText()).anySatisfy(text -> assertThat(text)
                .matches("\\d+ lines? waits? because of the limit of 4 connections per second to 127\\.0\\.0\\.1\\."));

        Await.until(() -> !Jsoup.parse(owner.page(path).body())
                .select("[data-finished=true]")
                .isEmpty());
        assertThat(Jsoup.parse(owner.page(path).body()).select("#job-waiting")).isEmpty();
    }

    @Test
    void theReportOfAFreshCheckShowsItsWait() {
        List<Document> reports = IntStream.rangeClosed(0, 2 * PER_SECOND)
                .mapToObj(i -> DATABASE.vertx()
                        .executeBlocking(
                                () -> service.page("/check/http-status/"
                                        + URLEncoder.encode(lab.http("/ok?report=" + i), StandardCharsets.UTF_8)),
                                false))
                .toList()
                .stream()
                .map(page -> Jsoup.parse(Await.value(page).body()))
                .toList();

        assertThat(reports)
                .anySatisfy(
                        report -> assertThat(report.select(".age").text())
                                .matches(
                                        ".*Waited [\\d.]+ m?s because of the limit of 4 connections per second to 127\\.0\\.0\\.1\\..*"));
        assertThat(Jsoup.parse(service.page("/check/http-status/"
                                        + URLEncoder.encode(lab.http("/ok?report=0"), StandardCharsets.UTF_8))
                                .body())
                        .select(".age")
                        .text())
                .contains("Cached result")
                .doesNotContain("Waited", "quota");
    }
}
