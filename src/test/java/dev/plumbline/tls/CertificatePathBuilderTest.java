package dev.plumbline.tls;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.lab.CertificateSpec;
import dev.plumbline.lab.TestCa;
import dev.plumbline.tls.CertificatePath.End;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CertificatePathBuilderTest {
    private static final Instant NOW = Instant.now();
    private static final TestCa ROOT = TestCa.root("Root");
    private static final TestCa ISSUER = ROOT.authority("Issuer");
    private static final TestCa.Identity LEAF = ISSUER.issue(CertificateSpec.server("a.test"));
    private static final TestCa STRANGER = TestCa.root("Issuer");
    private static final TrustRoots ROOTS = new TrustRoots(List.of(ROOT.certificate()), List.of());
    private static final List<X509Certificate> SOUP = soup();

    private static List<X509Certificate> soup() {
        List<X509Certificate> all = new ArrayList<>();
        all.add(LEAF.certificate());
        all.add(ISSUER.certificate());
        all.add(ROOT.certificate());
        all.add(STRANGER.certificate());
        // Two authorities that have certified each other: a circle.
        TestCa one = TestCa.root("One");
        TestCa two = TestCa.root("Two");
        all.add(one.crossSign(two, CertificateSpec.authority("Two")));
        all.add(two.crossSign(one, CertificateSpec.authority("One")));
        all.add(one.issue(CertificateSpec.server("b.test")).certificate());
        all.add(TestCa.selfSigned(CertificateSpec.server("c.test")).certificate());
        return all;
    }

    private static CertificatePath build(X509Certificate... sent) {
        return CertificatePathBuilder.build(List.of(sent), ROOTS, NOW);
    }

    @Test
    void findsAPathInAnyOrder() {
        CertificatePath straight = build(LEAF.certificate(), ISSUER.certificate());
        assertThat(straight.end()).isEqualTo(End.PUBLIC_ROOT);
        assertThat(straight.trusted()).isTrue();
        assertThat(straight.ordered()).isTrue();
        assertThat(straight.certificates())
                .containsExactly(LEAF.certificate(), ISSUER.certificate(), ROOT.certificate());
        CertificatePath mixed =
                build(LEAF.certificate(), ROOT.certificate(), STRANGER.certificate(), ISSUER.certificate());
        assertThat(mixed.trusted()).isTrue();
        assertThat(mixed.ordered()).isFalse();
        assertThat(mixed.unused()).isEqualTo(1);
    }

    @Test
    void verifiesSignaturesBesideIssuerNames() {
        CertificatePath path = build(LEAF.certificate(), STRANGER.certificate());
        assertThat(path.end()).isEqualTo(End.NO_ISSUER);
        assertThat(path.trusted()).isFalse();
    }

    @Test
    void distinguishesConfiguredRootsFromPublicRoots() {
        TrustRoots extra = new TrustRoots(List.of(), List.of(ROOT.certificate()));
        assertThat(CertificatePathBuilder.build(LEAF.chain(), extra, NOW).end()).isEqualTo(End.OPERATOR_ROOT);
    }

    @Test
    void prefersAValidPath() {
        TestCa other = TestCa.root("Other root");
        CertificateSpec expired = CertificateSpec.authority("Issuer")
                .from(NOW.minus(Duration.ofDays(20)))
                .until(NOW.minus(Duration.ofDays(10)));
        X509Certificate old = other.crossSign(ISSUER, expired);
        TrustRoots both = new TrustRoots(List.of(other.certificate(), ROOT.certificate()), List.of());
        CertificatePath path =
                CertificatePathBuilder.build(List.of(LEAF.certificate(), old, ISSUER.certificate()), both, NOW);
        assertThat(path.certificates()).contains(ISSUER.certificate()).doesNotContain(old);
        assertThat(CertificateProblem.of(path, true, false, NOW)).isEmpty();
        CertificatePath before = CertificatePathBuilder.build(List.of(LEAF.certificate(), old), both, NOW);
        assertThat(CertificateProblem.of(before, true, false, NOW)).containsExactly(CertificateProblem.EXPIRED);
        assertThat(before.earliestNotAfter()).isEqualTo(old.getNotAfter().toInstant());
    }

    @ParameterizedTest
    @CsvSource({"true, true", "true, false", "false, true", "false, false"})
    void prefersAStrongTwinBelowManyRootsOfOneName(boolean weakFirst, boolean keyIdentifiers) {
        List<X509Certificate> roots = new ArrayList<>();
        for (int i = 0; i < 99; i++) {
            roots.add(TestCa.root(CertificateSpec.authority("Many")).certificate());
        }
        TestCa root = TestCa.root(
                keyIdentifiers
                        ? CertificateSpec.authority("Many")
                        : CertificateSpec.authority("Many").withoutKeyIdentifiers());
        roots.add(root.certificate());
        TestCa issuer = root.authority(
                keyIdentifiers
                        ? CertificateSpec.authority("Twin")
                        : CertificateSpec.authority("Twin").withoutKeyIdentifiers());
        CertificateSpec sha1 = CertificateSpec.authority("Twin").digest("SHA1");
        X509Certificate weak = root.crossSign(issuer, keyIdentifiers ? sha1 : sha1.withoutKeyIdentifiers());
        X509Certificate strong = issuer.certificate();
        X509Certificate leaf = issuer.issue(CertificateSpec.server("a.test")).certificate();

        CertificatePath path = CertificatePathBuilder.build(
                weakFirst ? List.of(leaf, weak, strong) : List.of(leaf, strong, weak),
                new TrustRoots(roots, List.of()),
                NOW);

        assertThat(path.certificates()).containsExactly(leaf, strong, root.certificate());
        assertThat(path.exhausted()).isFalse();
        assertThat(CertificateProblem.of(path, true, false, NOW)).isEmpty();
    }

    @Test
    void reportsAWeakIntermediateWithoutAStrongTwin() {
        X509Certificate weak =
                ROOT.crossSign(ISSUER, CertificateSpec.authority("Issuer").digest("SHA1"));

        assertThat(CertificateProblem.of(build(LEAF.certificate(), weak), true, false, NOW))
                .containsExactly(CertificateProblem.WEAK_SIGNATURE);
    }

    @Test
    void acceptsACertificateUntilTheEndOfItsLastSecond() {
        Instant end = LEAF.certificate().getNotAfter().toInstant();
        CertificatePath path = build(LEAF.certificate(), ISSUER.certificate());

        assertThat(CertificateProblem.of(path, true, false, end.plusMillis(999)))
                .isEmpty();
        assertThat(CertificateProblem.of(path, true, false, end.plusSeconds(1)))
                .containsExactly(CertificateProblem.EXPIRED);
    }

    /** As the cases {@code webpki::forbidden-dsa-root} and {@code webpki::forbidden-p192-root} of x509-limbo. */
    @Test
    void doesNotTrustARootWithADsaKey() {
        TestCa root = TestCa.root(CertificateSpec.authority("DSA root").key("DSA"));
        TrustRoots configured = new TrustRoots(List.of(), List.of(root.certificate()));

        CertificatePath path = CertificatePathBuilder.build(
                List.of(root.issue(CertificateSpec.server("a.test")).certificate()), configured, NOW);

        assertThat(path.anchored()).isTrue();
        assertThat(path.trusted()).isFalse();
        assertThat(path.fault()).contains("DSA key");
    }

    @Test
    void trustsASelfSignedCertificateAmongTheConfiguredRoots() {
        X509Certificate own =
                TestCa.selfSigned(CertificateSpec.server("own.test")).certificate();
        CertificatePath path = CertificatePathBuilder.build(List.of(own), new TrustRoots(List.of(), List.of(own)), NOW);
        assertThat(path.trusted()).isTrue();
        assertThat(path.selfSigned()).isTrue();
        assertThat(CertificateProblem.of(path, true, false, NOW)).isEmpty();
    }

    @Test
    void reportsSeveralProblemsInOrder() {
        X509Certificate bad = TestCa.selfSigned(CertificateSpec.server("x.test")
                        .key("RSA-1024")
                        .from(NOW.minus(Duration.ofDays(9)))
                        .until(NOW.minus(Duration.ofDays(2))))
                .certificate();
        assertThat(CertificateProblem.of(build(bad), false, true, NOW))
                .containsExactly(
                        CertificateProblem.EXPIRED,
                        CertificateProblem.HOSTNAME_MISMATCH,
                        CertificateProblem.SELF_SIGNED,
                        CertificateProblem.WEAK_KEY,
                        CertificateProblem.REVOKED);
    }

    @Provide
    Arbitrary<List<X509Certificate>> sent() {
        return Arbitraries.of(SOUP).list().ofMinSize(1).ofMaxSize(32);
    }

    @Property(tries = 200)
    void alwaysReturnsAConsistentPath(@ForAll("sent") List<X509Certificate> sent) {
        CertificatePath path = CertificatePathBuilder.build(sent, ROOTS, NOW);
        List<X509Certificate> found = path.certificates();
        assertThat(path.leaf()).isEqualTo(sent.get(0));
        assertThat(found).doesNotHaveDuplicates().hasSizeLessThanOrEqualTo(10);
        for (int i = 0; i + 1 < found.size(); i++) {
            assertThat(new SignatureVerifier(1).isSignedBy(found.get(i), found.get(i + 1)))
                    .isTrue();
        }
        boolean leadsHome = sent.get(0).equals(ROOT.certificate())
                || sent.get(0).equals(ISSUER.certificate())
                || (sent.get(0).equals(LEAF.certificate()) && sent.contains(ISSUER.certificate()));
        assertThat(path.anchored()).isEqualTo(leadsHome);
        assertThat(path.unused() + path.repeated()).isLessThan(sent.size());
    }

    @Test
    void limitsTheSearchInCrossSignedChains() {
        // Every one of these certifies the next by name and key: the number of paths is factorial.
        TestCa maze = TestCa.root("Maze");
        List<X509Certificate> sent = new ArrayList<>();
        sent.add(maze.issue(CertificateSpec.server("maze.test")).certificate());
        for (int i = 0; i < 31; i++) {
            sent.add(maze.crossSign(maze, CertificateSpec.authority("Maze").serial(1000 + i)));
        }
        CertificatePath path = CertificatePathBuilder.build(sent, ROOTS, NOW);
        assertThat(path.exhausted()).isTrue();
        assertThat(path.trusted()).isFalse();
    }
}
