package dev.plumbline.support;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.plumbline.lab.CertificateSpec;
import dev.plumbline.lab.TestCa;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.opentest4j.TestAbortedException;

class DebianToolTest {
    @Tag("integration")
    @Test
    void aMissingProgramSkipsTheTest() {
        assertThat(DebianTool.find("plumbline-no-such-program")).isNull();
        assertSkips(
                catchThrowable(() -> DebianTool.require("plumbline-no-such-program")),
                "plumbline-no-such-program is not installed");
        assertSkips(
                catchThrowable(() -> DebianTool.requirePython("plumbline_no_such_module")),
                "python3 with plumbline_no_such_module is not installed");
    }

    @Test
    void hiddenProgramsAreNotFound() {
        String before = System.getProperty("test.programs");
        try {
            System.setProperty("test.programs", "sh,env");
            assertThat(DebianTool.find("sh")).isNotNull();
            assertThat(DebianTool.find("ls")).isNull();
            System.setProperty("test.programs", "none");
            assertThat(DebianTool.find("sh")).isNull();
        } finally {
            if (before == null) {
                System.clearProperty("test.programs");
            } else {
                System.setProperty("test.programs", before);
            }
        }
    }

    /** As nginx without the package libnginx-mod-http-brotli-filter reports "brotli". */
    @Tag("integration")
    @Test
    void aMissingModuleOfAServerSkipsTheTest(@TempDir Path folder) {
        DebianTool.require("nginx");
        TestCa.Identity identity = TestCa.selfSigned(CertificateSpec.server("lab.test"));

        assertSkips(
                catchThrowable(() -> NginxServer.start(folder, identity, "plumbline_no_such_directive on;")
                        .close()),
                "unknown directive \"plumbline_no_such_directive\"");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "apache2: Syntax error: Cannot load /usr/lib/apache2/modules/mod_brotli.so into server",
                "curl: option --http2: the installed libcurl version does not support this",
                "s_server: Unknown option: -tls1",
                "doveconf: Fatal: ssl_cert: Unknown setting: ssl_cert",
                "nginx: [emerg] bind() to 127.15.1.1:80 failed (98: Address already in use)",
                "could not listen on UDP socket: permission denied"
            })
    void theMessageOfAProgramWithoutAFeatureSkipsTheTest(String line) {
        assertSkips(catchThrowable(() -> DebianTool.requireSupport("program", "first\n" + line + "\n")), line);
        assertThatCode(() -> DebianTool.requireSupport("program", "Segmentation fault"))
                .doesNotThrowAnyException();
    }

    /** In CI, a test must not be skipped. */
    private static void assertSkips(Throwable thrown, String message) {
        assertThat(thrown).hasMessageContaining(message);
        if (thrown.getMessage().contains("CI must not skip")) {
            assertThat(System.getenv("CI")).isEqualTo("true");
        } else {
            assertThat(thrown).isInstanceOf(TestAbortedException.class);
        }
    }
}
