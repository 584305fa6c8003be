package dev.plumbline.e2e.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.Evaluation;
import dev.plumbline.check.InvalidTargetException;
import dev.plumbline.check.Options;
import dev.plumbline.check.Target;
import dev.plumbline.check.TargetParser;
import dev.plumbline.module.web.SecurityHeaders;
import dev.plumbline.probe.http.HttpExchange;
import dev.plumbline.probe.http.HttpHeader;
import dev.plumbline.probe.http.HttpRequestSpec;
import dev.plumbline.probe.http.HttpTimings;
import dev.plumbline.probe.http.RedirectTrace;
import dev.plumbline.probe.http.ResponseHeaders;
import dev.plumbline.probe.http.TestBodies;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Our own pages, as people meet them over TLS, before our own tool. */
@Tag("integration")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OwnSecurityHeadersTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final String ADDRESS = "https://plumbline.test";
    private static final SecurityHeaders TOOL = new SecurityHeaders();

    private ServiceUnderTest service;

    @BeforeAll
    void start() {
        service = ServiceUnderTest.start(DATABASE.url(), Map.of("HTTP_PUBLIC_URL", ADDRESS));
    }

    @AfterAll
    void stop() {
        service.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/",
                "/tools",
                "/tools/security-headers",
                "/docs",
                "/sign-in",
                "/bulk",
                "/jobs",
                "/nowhere",
                "/check/http-status/two%20words"
            })
    void everyPageHasTheTopGrade(String path) throws Exception {
        Evaluation judgement = TOOL.evaluate(
                seen(path), Options.parse(TOOL.description(), Map.of()).options());

        assertThat(judgement.fields().get("grade"))
                .as(() -> judgement.findings().toString())
                .isEqualTo("A+");
    }

    private RedirectTrace seen(String path) throws InvalidTargetException {
        HttpResponse<String> answer = service.page(path, "Accept", "text/html");
        assertThat(answer.headers().firstValue("Content-Type").orElse("")).startsWith("text/html");
        List<HttpHeader> headers = new ArrayList<>();
        answer.headers()
                .map()
                .forEach((name, values) -> values.forEach(value -> headers.add(new HttpHeader(name, value))));
        Target.Url url = (Target.Url) TargetParser.parse(TOOL.description(), ADDRESS + path);
        HttpExchange page = new HttpExchange(
                url,
                HttpRequestSpec.Method.GET,
                answer.statusCode(),
                "",
                "1.1",
                new ResponseHeaders(headers),
                TestBodies.of(answer.body()),
                "192.0.2.1",
                new HttpTimings(1, 2, null, 3, 4, 10),
                null);
        return new RedirectTrace(List.of(page), url, null);
    }
}
