package dev.plumbline.probe.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.lab.HttpFixture;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.support.Await;
import dev.plumbline.support.TestCheckContext;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class RedirectFollowerTest {
    @RegisterExtension
    static final HttpFixture FIXTURE = HttpFixture.start();

    @ParameterizedTest
    @CsvSource({
        "/ok, 0, 200, /ok",
        "/redirect/301, 1, 200, /ok",
        "/redirect/302, 1, 200, /ok",
        "/redirect/303, 1, 200, /ok",
        "/redirect/307, 1, 200, /ok",
        "/redirect/308, 1, 200, /ok",
        "/redirect/deep/relative, 2, 200, /ok?a=b",
        "/redirect/dots, 1, 200, /ok",
        "/redirect/scheme-relative, 1, 200, /ok",
        "/redirect/absolute, 1, 200, /ok",
        "/redirect/fragment, 1, 200, /ok",
        "/redirect/non-ascii, 1, 404, /status/404?caf%C3%A9%20|",
        "/redirect/two-locations, 1, 200, /ok",
        "/redirect/no-location, 0, 302, /redirect/no-location",
        "/redirect/empty-location, 0, 302, /redirect/empty-location",
        "/redirect/encoded-crlf, 1, 200, /ok?%0d%0aX-Injected:%201",
        "/redirect/percent-signs, 1, 200, /ok?50%off%41",
        "/redirect/bare-cr, 1, 200, /ok?X-Injected:%201",
        "/redirect/chain/10, 10, 200, /ok",
        "/redirect/endless-body, 1, 200, /ok",
        "/redirect/dripping-body, 1, 200, /ok",
        "/refresh, 0, 200, /refresh"
    })
    void followsAllRedirects(String path, int redirects, int status, String end) {
        for (HttpRequestSpec call :
                List.of(HttpRequestSpec.head(FIXTURE.url(path)), HttpRequestSpec.get(FIXTURE.url(path), 1_000))) {
            RedirectTrace trace = follow(call);

            assertThat(trace.error()).isNull();
            assertThat(trace.hops()).hasSize(redirects + 1);
            assertThat(trace.last()).isNotNull();
            assertThat(trace.last().status()).isEqualTo(status);
            assertThat(trace.last().method()).isEqualTo(call.method());
            assertThat(trace.url().text()).isEqualTo(FIXTURE.lab().http(end));
        }
    }

    @Test
    void readsNoRedirectBodies() {
        HttpRequestSpec call = HttpRequestSpec.get(FIXTURE.url("/redirect/endless-body"), 1_000);

        assertThat(follow(call).hops()).extracting(hop -> hop.body().size()).containsExactly(0, 11);
        assertThat(exchange(call).body().size()).isEqualTo(1_000);
        assertThat(exchange(call.withoutRedirectBodies()).body())
                .returns(0, HttpBody::size)
                .returns(true, HttpBody::truncated);
    }

    @ParameterizedTest
    @CsvSource({
        "/redirect/loop, 1, REDIRECT_LOOP",
        "/redirect/ping, 2, REDIRECT_LOOP",
        "/redirect/chain/11, 11, TOO_MANY_REDIRECTS"
    })
    void stopsEndlessRedirects(String path, int hopCount, ErrorCode code) {
        RedirectTrace trace = follow(HttpRequestSpec.head(FIXTURE.url(path)));

        assertThat(trace.error()).isNotNull().extracting(CheckError::code).isEqualTo(code);
        assertThat(trace.hops()).hasSize(hopCount);
    }

    static List<String> forbidden() {
        return FIXTURE.lab().targets().stream()
                .filter(target -> target.expectation().equals("redirect_blocked"))
                .map(target -> target.target())
                .toList();
    }

    @ParameterizedTest
    @MethodSource("forbidden")
    void blocksForbiddenRedirectTargets(String target) {
        RedirectTrace trace = follow(HttpRequestSpec.get(FIXTURE.url(target), 1_000));

        assertThat(trace.error()).isNotNull().extracting(CheckError::code).isEqualTo(ErrorCode.REDIRECT_BLOCKED);
        assertThat(trace.hops()).singleElement().returns(true, HttpExchange::redirects);
    }

    @Test
    void preventsHeaderInjectionByLocation() {
        follow(HttpRequestSpec.get(FIXTURE.url("/redirect/bare-cr"), 1_000));

        assertThat(FIXTURE.lab().requestsFor("/ok?X-Injected:%201"))
                .isNotEmpty()
                .noneMatch(head -> head.contains("\nX-Injected"));
    }

    @Test
    void detectsDowngradesToHttp() {
        RedirectTrace down =
                follow(HttpRequestSpec.head(FIXTURE.url(FIXTURE.lab().secure("/redirect/to-http"))));
        RedirectTrace up = follow(HttpRequestSpec.head(FIXTURE.url("/redirect/to-https")));

        assertThat(down.error()).isNull();
        assertThat(down.downgraded()).isTrue();
        assertThat(up.error()).isNull();
        assertThat(up.downgraded()).isFalse();
        assertThat(up.last()).isNotNull().extracting(hop -> hop.url().secure()).isEqualTo(true);
    }

    @Test
    void keepsTheHopsBeforeAFailedOne() {
        RedirectTrace trace = Await.value(FIXTURE.probe()
                .follow(
                        TestCheckContext.create().withDeadline(1_000),
                        HttpRequestSpec.head(FIXTURE.url("/redirect/to-never")),
                        10));

        assertThat(trace.error()).isNotNull().extracting(CheckError::code).isEqualTo(ErrorCode.READ_TIMEOUT);
        assertThat(trace.hops()).hasSize(1);
        assertThat(trace.url().text()).isEqualTo(FIXTURE.lab().http("/never"));
    }

    private static HttpExchange exchange(HttpRequestSpec call) {
        return Await.value(FIXTURE.probe().exchange(TestCheckContext.create(), call));
    }

    private static RedirectTrace follow(HttpRequestSpec call) {
        return Await.value(FIXTURE.probe().follow(TestCheckContext.create(), call, 10));
    }
}
