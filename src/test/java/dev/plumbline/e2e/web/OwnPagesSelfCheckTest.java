package dev.plumbline.e2e.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.lab.HttpFixture;
import dev.plumbline.lab.TestCa;
import dev.plumbline.probe.http.HttpProbe;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.Finding;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks the security headers of the service's own pages over TLS. */
@Tag("integration")
class OwnPagesSelfCheckTest {
    @RegisterExtension
    static final HttpFixture FIXTURE = HttpFixture.start();

    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static HttpProbe probe;
    private static ServiceUnderTest service;

    @BeforeAll
    static void start(@TempDir Path folder) throws Exception {
        FIXTURE.dns().address("lab.test", "127.0.0.1");
        probe = FIXTURE.probe(HttpFixture.policy(List.of("127.0.0.0/8"), List.of("*")));
        TestCa.Identity identity = FIXTURE.identity();
        Path certificate = Files.writeString(folder.resolve("certificate.pem"), identity.pem());
        Path key = Files.writeString(folder.resolve("key.pem"), identity.keyPem());
        service = ServiceUnderTest.start(
                DATABASE.url(), Map.of("HTTP_TLS_CERTIFICATE", certificate.toString(), "HTTP_TLS_KEY", key.toString()));
    }

    @AfterAll
    static void stop() {
        service.close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/",
                "/tools",
                "/tools/security-headers",
                "/docs",
                "/bulk",
                "/sign-in",
                "/check/http-status/two%20words",
                "/no-such-page"
            })
    void pagesGetGradeAPlus(String path) {
        CheckResult result = FIXTURE.check(
                Objects.requireNonNull(ModuleCatalogue.load().find("security-headers")),
                probe,
                service.uri(path).toString().replace("127.0.0.1", "lab.test"),
                "");

        assertThat(result.fields())
                .as(result.findings().stream().map(Finding::message).toList().toString())
                .containsEntry("grade", "A+");
    }
}
