package dev.plumbline.tls;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.lab.CertificateSpec;
import dev.plumbline.lab.TestCa;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The CPU time and the memory that the certificates of one handshake need. */
class HostileCertificatesTest {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final TestCa ROOT = TestCa.root("Root");
    private static final TrustRoots ROOTS = new TrustRoots(List.of(ROOT.certificate()), List.of());

    /** Authorities with one name that have all certified each other. */
    @Test
    void cyclesOfIssuersNeedLittleCpuTime() {
        List<TestCa> authorities = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            authorities.add(TestCa.root(CertificateSpec.authority("Same").withoutKeyIdentifiers()));
        }
        List<X509Certificate> sent = new ArrayList<>();
        sent.add(authorities.get(0).issue(CertificateSpec.server("a.test")).certificate());
        for (TestCa issuer : authorities) {
            for (TestCa subject : authorities) {
                sent.add(issuer.crossSign(
                        subject, CertificateSpec.authority("Same").withoutKeyIdentifiers()));
            }
        }
        CertificatePathBuilder.build(sent, ROOTS, Instant.now());

        long before = THREADS.getCurrentThreadCpuTime();
        CertificatePath path = CertificatePathBuilder.build(sent, ROOTS, Instant.now());
        Duration time = Duration.ofNanos(THREADS.getCurrentThreadCpuTime() - before);

        assertThat(path.trusted()).isFalse();
        assertThat(path.exhausted()).isTrue();
        assertThat(time).isLessThan(Duration.ofSeconds(1));
    }

    @Test
    void keepsOnlyNamesThatAResultCanContain() {
        X509Certificate leaf =
                ROOT.issue(CertificateSpec.server("a.test").names(80_000)).certificate();

        AlternativeNames names = AlternativeNames.of(leaf);

        assertThat(names.listed()).hasSizeBetween(64 * 1024 / 4, 30_000).startsWith("a.test", "a");
        assertThat(names.wildcard()).isFalse();
        assertThat(CertificateParser.isCheap(List.of(leaf))).isFalse();
        assertThat(CertificateParser.isCheap(List.of(ROOT.certificate()))).isTrue();
    }

    @Test
    void findsWildcardAfterTheNamesThatAreListed() {
        CertificateSpec spec = CertificateSpec.server("a.test").names(80_000).name("*.b.test");

        AlternativeNames names = AlternativeNames.of(ROOT.issue(spec).certificate());

        assertThat(names.listed()).doesNotContain("*.b.test");
        assertThat(names.wildcard()).isTrue();
    }

    @Test
    void namesCertificateWithoutSubjectByItsFirstName() {
        assertThat(DistinguishedNames.display(ROOT.issue(
                                CertificateSpec.server("a.test").names(80_000).withoutSubject())
                        .certificate()))
                .isEqualTo("a.test");
    }
}
