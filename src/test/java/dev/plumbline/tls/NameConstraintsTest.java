package dev.plumbline.tls;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.lab.CertificateSpec;
import dev.plumbline.lab.TestCa;
import java.math.BigInteger;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.bouncycastle.asn1.DEROctetString;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralSubtree;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class NameConstraintsTest {
    private static final TestCa ROOT = TestCa.root("Root");
    private static final String MALFORMED = "the name constraints of a CA certificate are malformed";
    private static final String VIOLATED = "a name violates the name constraints of a CA certificate";

    private static GeneralSubtree[] dns(String name) {
        return subtree(new GeneralName(GeneralName.dNSName, name));
    }

    private static GeneralSubtree[] network(int... bytes) {
        byte[] octets = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            octets[i] = (byte) bytes[i];
        }
        return subtree(new GeneralName(GeneralName.iPAddress, new DEROctetString(octets)));
    }

    private static GeneralSubtree[] subtree(GeneralName base) {
        return new GeneralSubtree[] {new GeneralSubtree(base)};
    }

    private static org.bouncycastle.asn1.x509.NameConstraints excluded(GeneralSubtree... subtrees) {
        return new org.bouncycastle.asn1.x509.NameConstraints(null, subtrees);
    }

    private static org.bouncycastle.asn1.x509.NameConstraints permitted(GeneralSubtree... subtrees) {
        return new org.bouncycastle.asn1.x509.NameConstraints(subtrees, null);
    }

    private static String fault(org.bouncycastle.asn1.x509.NameConstraints constraints, String name) {
        TestCa issuer = ROOT.authority(CertificateSpec.authority("Issuer").nameConstraints(constraints));
        List<X509Certificate> sent = issuer.issue(CertificateSpec.server(name)).chain();
        TrustRoots roots = new TrustRoots(List.of(ROOT.certificate()), List.of());
        return CertificatePathBuilder.build(sent, roots, Instant.now()).fault();
    }

    @ParameterizedTest
    @CsvSource({
        "bar.example.com, *.example.com, false",
        "BAR.Example.com, *.example.com, false",
        "bar.example.com, bar.example.com, false",
        "bar.example.com, a.bar.example.com, false",
        "bar.example.com, foo.example.com, true",
        "bar.example.com, *.foo.example.com, true",
        "a.bar.example.com, *.example.com, true",
        "example.com, *.example.com, false",
        ".example.com, *.example.com, false",
        "'', www.example.com, false",
    })
    void excludesWildcardsThatCoverAnExcludedName(String domain, String name, boolean accepted) {
        assertThat(fault(excluded(dns(domain)), name)).isEqualTo(accepted ? "" : VIOLATED);
    }

    @ParameterizedTest
    @CsvSource({
        "example.com, *.example.com, true",
        "foo.example.com, *.example.com, false",
        ".example.com, www.example.com, true",
    })
    void permitsOnlyWildcardsBelowAPermittedName(String domain, String name, boolean accepted) {
        assertThat(fault(permitted(dns(domain)), name)).isEqualTo(accepted ? "" : VIOLATED);
    }

    static Stream<org.bouncycastle.asn1.x509.NameConstraints> malformed() {
        GeneralName example = new GeneralName(GeneralName.dNSName, "example.net");
        return Stream.of(
                new org.bouncycastle.asn1.x509.NameConstraints(null, null),
                permitted(),
                excluded(),
                excluded(dns("*.example.net")),
                excluded(dns("example..net")),
                excluded(dns("example.net.")),
                excluded(dns("http://example.net/")),
                excluded(network(192, 0, 2, 1)),
                excluded(network(192, 0, 2, 0, 255, 0, 255, 0)),
                excluded(network(new int[16])),
                excluded(subtree(new GeneralName(GeneralName.rfc822Name, "a@b@example.net"))),
                excluded(new GeneralSubtree(example, BigInteger.ONE, null)),
                excluded(new GeneralSubtree(example, BigInteger.ZERO, BigInteger.ONE)));
    }

    @ParameterizedTest
    @MethodSource("malformed")
    void rejectsMalformedConstraints(org.bouncycastle.asn1.x509.NameConstraints constraints) {
        assertThat(fault(constraints, "www.example.com")).isEqualTo(MALFORMED);
    }

    static Stream<org.bouncycastle.asn1.x509.NameConstraints> wellFormed() {
        return Stream.of(
                excluded(network(192, 0, 2, 0, 255, 255, 255, 0)),
                excluded(network(0, 0, 0, 0, 0, 0, 0, 0)),
                excluded(network(new int[32])),
                excluded(subtree(new GeneralName(GeneralName.rfc822Name, "a@example.net"))),
                excluded(subtree(new GeneralName(GeneralName.rfc822Name, ".example.net"))),
                excluded(subtree(new GeneralName(GeneralName.uniformResourceIdentifier, ".example.net"))));
    }

    @ParameterizedTest
    @MethodSource("wellFormed")
    void acceptsWellFormedConstraints(org.bouncycastle.asn1.x509.NameConstraints constraints) {
        assertThat(fault(constraints, "www.example.com")).isEmpty();
    }
}
