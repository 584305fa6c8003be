package dev.plumbline.module.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.lab.DnsFaults;
import dev.plumbline.lab.HttpFixture;
import dev.plumbline.lab.HttpLab;
import dev.plumbline.probe.http.HttpProbe;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.Evaluation;
import dev.plumbline.result.Finding;
import dev.plumbline.support.Await;
import dev.plumbline.support.TestCheckContext;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HttpStatusTest {
    @RegisterExtension
    static final HttpFixture FIXTURE = HttpFixture.start();

    private static final ModuleDefinition<HttpStatus.Evidence> MODULE = SheetModule.load(new HttpStatus());

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "/ok, '', 200, head, 1, true, -",
                "/ok, method=get, 200, get, 1, true, -",
                "/status/404, '', 404, get, 2, false, -",
                "/status/404, method=head, 404, head, 1, false, -",
                "/status/410, '', 410, head, 1, false, -",
                "/status/500, '', 500, get, 2, false, -",
                "/status/404, expect_status=4xx, 404, get, 2, true, -",
                "/head/405, '', 200, get, 2, true, -",
                "/head/501, '', 200, get, 2, true, -",
                "/head/403, '', 200, get, 2, true, -",
                "/head/404, '', 200, get, 2, true, -",
                "/head/reset, '', 200, get, 2, true, -",
                "/head/silent, timeout_ms=2000, 200, get, 2, true, -",
                "/head/misleading, '', 200, head, 1, true, -",
                "/head/misleading, method=get, 404, get, 1, false, -",
                "/head/body, '', 200, head, 1, true, -",
                "/redirect/chain/3, '', 200, head, 1, true, -",
                "/redirect/chain/3, max_redirects=2, 302, head, 1, false, too_many_redirects",
                "/redirect/301, max_redirects=0, 301, head, 1, false, too_many_redirects",
                "/redirect/301, follow_redirects=false, 301, head, 1, false, -",
                "/redirect/301, 'follow_redirects=false&expect_status=301', 301, head, 1, true, -",
                "/redirect/loop, '', 302, head, 1, false, redirect_loop",
                "/redirect/blocked/302/metadata, '', 302, head, 1, false, redirect_blocked",
                "/drip/body, '', 200, head, 1, true, -",
                "/drip/body, 'method=get&timeout_ms=1000', 200, get, 1, false, read_timeout",
                "/endless/body, method=get, 200, get, 1, true, -",
                "/bomb/gzip, method=get, 200, get, 1, true, -",
                "/bomb/brotli, method=get, 200, get, 1, true, -",
                "/closed, '', -, get, 2, false, connection_reset",
                "/ssh, '', -, get, 2, false, http_protocol_error",
                "/page, contains=needle, 200, get, 1, true, -"
            })
    void reportsStatusMethodAndAttempts(
            String path,
            String options,
            @Nullable Integer status,
            String method,
            int attempts,
            boolean ok,
            @Nullable String error) {
        Evaluation evaluation = check(path, options);

        CheckError failure = evaluation.error();
        assertThat(failure == null ? null : failure.code().id()).isEqualTo(error);
        assertThat(evaluation.fields())
                .containsEntry("status", status)
                .containsEntry("method_used", method)
                .containsEntry("attempts", attempts)
                .containsEntry("ok", ok);
    }

    @ParameterizedTest
    @CsvSource({
        "/page, true",
        "/gzip, true",
        "/deflate, true",
        "/brotli, true",
        "/zstd, true",
        "/chunked, true",
        "/until-closed, true",
        "/ok, false",
        "/big, false"
    })
    void searchesDecodedPageForText(String path, boolean matched) {
        Evaluation evaluation = check(path, "contains=needle");

        assertThat(evaluation.fields()).containsEntry("contains_matched", matched);
        assertThat(evaluation.findings().stream().map(Finding::code).anyMatch("text_missing"::equals))
                .isEqualTo(!matched);
    }

    /** The name resolves to another address for GET, after HEAD has timed out. */
    @Test
    void reportsRedirectBlockedIfGetAfterHeadIsRedirectedToBlockedAddress() {
        String name = "rebinding.lab.test";
        FIXTURE.dns().behave(name, DnsFaults.rebinding("127.0.0.1", HttpLab.CANARY_ADDRESS));
        String silent = FIXTURE.lab().http("/head/silent").replace("127.0.0.1", name);
        Vertx vertx = Vertx.vertx();
        try {
            HttpServer redirecting = Await.value(vertx.createHttpServer()
                    .requestHandler(request -> request.response()
                            .setStatusCode(302)
                            .putHeader("Location", silent)
                            .end())
                    .listen(0, "127.0.0.1"));

            CheckResult result = FIXTURE.check(
                    MODULE,
                    FIXTURE.probe(HttpFixture.policy(List.of(HttpLab.ALLOW), List.of("*"))),
                    "http://127.0.0.1:" + redirecting.actualPort() + "/",
                    "timeout_ms=5000&ip_version=4");

            assertThat(result.error()).isNotNull();
            assertThat(result.error().code()).isEqualTo(ErrorCode.REDIRECT_BLOCKED);
        } finally {
            Await.value(vertx.close());
        }
    }

    @Test
    void sendsSelectedUserAgent() {
        check("/ok?default", "");
        check("/ok?browser", "user_agent=browser");
        check("/ok?googlebot", "user_agent=googlebot");

        assertThat(FIXTURE.lab().requestsFor("/ok?default"))
                .singleElement()
                .asString()
                .contains("user-agent: " + HttpFixture.USER_AGENT);
        assertThat(FIXTURE.lab().requestsFor("/ok?browser"))
                .singleElement()
                .asString()
                .contains("user-agent: Mozilla/5.0 (X11;");
        assertThat(FIXTURE.lab().requestsFor("/ok?googlebot"))
                .singleElement()
                .asString()
                .contains("Googlebot/2.1");
    }

    @Test
    void detectsBlockPagesAndSoft404() {
        assertThat(check("/challenge/cloudflare", "").fields()).containsEntry("blocked_suspected", true);
        assertThat(check("/challenge/akamai", "").fields()).containsEntry("blocked_suspected", true);
        assertThat(check("/soft-404", "method=get").fields()).containsEntry("soft_404_suspected", true);
        assertThat(check("/refresh", "method=get").fields()).containsEntry("status", 200);
    }

    @Test
    void describesThatOnlyPagesFetchedWithGetAreExamined() {
        assertThat(check("/soft-404", "").fields())
                .containsEntry("method_used", "head")
                .containsEntry("soft_404_suspected", false);
        assertThat(MODULE.description().summary()).contains("require GET");
        assertThat(MODULE.description().fields())
                .filteredOn(field -> field.name().equals("soft_404_suspected"))
                .singleElement()
                .satisfies(field -> assertThat(field.description()).contains("only with GET"));
    }

    @Test
    void isRegisteredInCatalogue() {
        assertThat(ModuleCatalogue.load().find("http-status")).isNotNull();
    }

    private static Evaluation check(String path, String query) {
        Map<String, String> options = new HashMap<>();
        for (String pair : query.isEmpty() ? new String[0] : query.split("&")) {
            options.put(pair.split("=", 2)[0], pair.split("=", 2)[1]);
        }
        long millis = Long.parseLong(options.getOrDefault("timeout_ms", "10000"));
        TestCheckContext context = TestCheckContext.of(MODULE.description(), options)
                .withDeadline(millis)
                .withProbe(HttpProbe.class, FIXTURE.probe());
        return MODULE.evaluate(Await.value(MODULE.collect(FIXTURE.url(path), context)), context.options());
    }
}
