package dev.plumbline.e2e.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.ColorScheme;
import dev.plumbline.lab.CertificateSpec;
import dev.plumbline.lab.DnsLab;
import dev.plumbline.lab.TestCa;
import dev.plumbline.lab.TlsServers;
import dev.plumbline.support.BrowserSession;
import dev.plumbline.support.ChromiumBrowser;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The picture of a report in the README. */
@Tag("integration")
class ReportPictureTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final Path PICTURE = Path.of("src/docs/images/report.png");
    private static final String HOST = "www.example.com";
    private static final int MAX_BYTES = 150_000;
    private static final int HEIGHT = 900;

    /** The property requires the permission to listen on port 443, which the report does not display. */
    private static final boolean WRITE = Boolean.getBoolean("screenshots.write");

    @Test
    void theReadmeHasAPictureOfAReport(@TempDir Path folder) throws IOException {
        TestCa root = TestCa.root("Example Root CA");
        TestCa.Identity server = root.authority("Example CA 1")
                .issue(CertificateSpec.server(HOST, "example.com")
                        .from(Instant.now().minus(Duration.ofDays(77)))
                        .until(Instant.now().plus(Duration.ofDays(13)))
                        .timestamps(2));
        Path roots = Files.writeString(folder.resolve("root.pem"), TestCa.pem(root.certificate()));
        ViewportTheme viewport = new ViewportTheme(ViewportTheme.WIDE, ColorScheme.LIGHT, true);
        try (TlsServers servers = new TlsServers();
                DnsLab dns = DnsLab.start().address(HOST, "127.0.0.1");
                ServiceUnderTest service = ServiceUnderTest.start(
                        DATABASE.url(), Map.of("DNS_SERVERS", dns.address(), "TLS_EXTRA_ROOTS", roots.toString()));
                BrowserSession session = ChromiumBrowser.openSession(service, viewport)) {
            int port = servers.serve(
                    server, TlsServers.ServerOptions.DEFAULT, new InetSocketAddress("127.0.0.1", WRITE ? 443 : 0));
            String report = "/check/ssl-certificate/" + HOST + ":" + port;
            // the first check of a process is slow
            session.open(report + "?warn_days=31");
            session.open(report);
            assertThat(session.page().locator(".verdict.warn").textContent()).contains(HOST);
            Path screenshot = Path.of("target/screenshots/report.png");
            session.page().setViewportSize(ViewportTheme.WIDE, HEIGHT);
            session.page().screenshot(new Page.ScreenshotOptions().setPath(screenshot));
            if (WRITE) {
                Files.createDirectories(PICTURE.getParent());
                Files.copy(screenshot, PICTURE, StandardCopyOption.REPLACE_EXISTING);
            }
        }

        assertThat(PICTURE)
                .as("to create it: mvn verify -Dit.test=ReportPictureTest -Dscreenshots.write=true")
                .exists();
        BufferedImage picture = ImageIO.read(PICTURE.toFile());
        assertThat(picture.getWidth()).isEqualTo(ViewportTheme.WIDE);
        assertThat(Files.size(PICTURE)).isLessThan(MAX_BYTES);
    }
}
