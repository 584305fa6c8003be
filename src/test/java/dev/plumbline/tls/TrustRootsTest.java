package dev.plumbline.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.lab.CertificateSpec;
import dev.plumbline.lab.TestCa;
import dev.plumbline.target.Host;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TrustRootsTest {
    private static final Instant NOW = Instant.now();
    private static final TestCa ROOT = TestCa.root("Root");
    private static final TestCa.Identity SERVER =
            ROOT.authority("Issuer").issue(CertificateSpec.server("www.example.com"));
    private static final Host HOST = new Host("www.example.com", null);

    @TempDir
    Path folder;

    @Test
    void trustsRootsOfTheConfiguredFile() throws IOException {
        Path file = Files.writeString(folder.resolve("roots.pem"), TestCa.pem(ROOT.certificate()));
        TrustRoots trust = TrustRoots.load(file);
        assertThat(trust.problem(SERVER.chain(), HOST, NOW)).isNull();
        assertThat(trust.problem(SERVER.chain(), new Host("example.com", null), NOW))
                .isEqualTo("The certificate is not valid for example.com.");
        assertThat(trust.problem(List.of(), HOST, NOW)).isEqualTo("The server sent no certificate.");
    }

    @Test
    void doesNotTrustTestRootsByDefault() throws IOException {
        assertThat(TrustRoots.load(null).problem(SERVER.chain(), HOST, NOW))
                .isEqualTo("The server did not send the certificate of the issuer \"Root\".");
    }

    @Test
    void rejectsAFileWithoutCertificates() throws IOException {
        Path empty = Files.writeString(folder.resolve("empty.pem"), "");
        Path broken = Files.writeString(folder.resolve("broken.pem"), "-----BEGIN CERTIFICATE-----\nx");
        Path missing = folder.resolve("missing.pem");
        for (Path file : List.of(empty, broken, missing)) {
            assertThatThrownBy(() -> TrustRoots.load(file))
                    .isInstanceOf(IOException.class)
                    .hasMessageStartingWith("the file c");
        }
    }
}
