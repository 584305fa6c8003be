package dev.plumbline.e2e.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.module.web.SecurityHeaders;
import dev.plumbline.probe.http.HttpExchange;
import dev.plumbline.probe.http.HttpHeader;
import dev.plumbline.probe.http.HttpRequestSpec;
import dev.plumbline.probe.http.HttpTimings;
import dev.plumbline.probe.http.RedirectTrace;
import dev.plumbline.probe.http.ResponseHeaders;
import dev.plumbline.probe.http.TestBodies;
import dev.plumbline.result.Evaluation;
import dev.plumbline.sheet.Options;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
import dev.plumbline.target.InvalidTargetException;
import dev.plumbline.target.Target;
import dev.plumbline.target.TargetParser;
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

/** The security headers of the service's own pages. */
@Tag("integration")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OwnSecurityHeadersTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final String ADDRESS = "https://plumbline.test";
    private static final ModuleDefinition<RedirectTrace> MODULE = SheetModule.load(new SecurityHeaders());

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
    void pagesGetGradeAPlus(String path) throws Exception {
        Evaluation evaluation = MODULE.evaluate(
                request(path), Options.parse(MODULE.description(), Map.of()).options());

        assertThat(evaluation.fields().get("grade"))
                .as(() -> evaluation.findings().toString())
                .isEqualTo("A+");
    }

    private RedirectTrace request(String path) throws InvalidTargetException {
        HttpResponse<String> response = service.page(path, "Accept", "text/html");
        assertThat(response.headers().firstValue("Content-Type").orElse("")).startsWith("text/html");
        List<HttpHeader> headers = new ArrayList<>();
        response.headers()
                .map()
                .forEach((name, values) -> values.forEach(value -> headers.add(new HttpHeader(name, value))));
        Target.Url url = (Target.Url) TargetParser.parse(MODULE.description(), ADDRESS + path);
        HttpExchange page = new HttpExchange(
                url,
                HttpRequestSpec.Method.GET,
                response.statusCode(),
                "",
                "1.1",
                null,
                new ResponseHeaders(headers),
                TestBodies.of(response.body()),
                "192.0.2.1",
                new HttpTimings(1, 2, null, 3, 4, 10),
                null);
        return new RedirectTrace(List.of(page), url, null);
    }
}
