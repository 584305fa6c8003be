package dev.plumbline.e2e.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.lab.CertificateSpec;
import dev.plumbline.lab.TestCa;
import dev.plumbline.support.DebianTool;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The service over TLS, with curl as the client. */
@Tag("integration")
class HttpsServiceTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    @TempDir
    Path folder;

    @Test
    void servesHttp1AndHttp2OverTls() throws Exception {
        TestCa root = TestCa.root("Lab Root");
        TestCa.Identity identity =
                root.issue(CertificateSpec.server("plumbline.test").address("127.0.0.1"));
        Path certificate = Files.writeString(folder.resolve("certificate.pem"), identity.pem());
        Path key = Files.writeString(folder.resolve("key.pem"), identity.keyPem());
        Path trusted = Files.writeString(folder.resolve("root.pem"), TestCa.pem(root.certificate()));
        try (ServiceUnderTest service = ServiceUnderTest.start(
                DATABASE.url(),
                Map.of("HTTP_TLS_CERTIFICATE", certificate.toString(), "HTTP_TLS_KEY", key.toString()))) {
            String url = service.uri("/api/v1/tools").toString();

            assertThat(url).startsWith("https://");
            assertThat(curl(trusted, url, "--http1.1")).isEqualTo("200 1.1");
            assertThat(curl(trusted, url, "--http2")).isEqualTo("200 2");
        }
    }

    private static String curl(Path trusted, String url, String version) throws Exception {
        Process curl = new ProcessBuilder(List.of(
                        DebianTool.require("curl").toString(),
                        "--silent",
                        "--show-error",
                        version,
                        "--cacert",
                        trusted.toString(),
                        "--output",
                        "/dev/null",
                        "--write-out",
                        "%{http_code} %{http_version}",
                        url))
                .redirectErrorStream(true)
                .start();
        return new String(curl.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
}
