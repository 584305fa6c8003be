package dev.plumbline.lab;

import static dev.plumbline.lab.TlsLab.DOMAIN;
import static dev.plumbline.lab.TlsLab.host;
import static dev.plumbline.lab.TlsLab.spec;

import dev.plumbline.lab.TestCa.Identity;
import dev.plumbline.lab.TlsServers.ServerOptions;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;

/** Servers with valid and invalid certificates and certificate chains. */
final class CertificateCases {
    private final TlsLab lab;
    private final TestCa root;
    private final TestCa issuer;
    private final Instant now = Instant.now();

    CertificateCases(TlsLab lab) {
        this.lab = lab;
        this.root = lab.root();
        this.issuer = lab.issuer();
    }

    void addAll() {
        dates();
        names();
        manyNames();
        chains();
        constraints();
        algorithms();
    }

    private void dates() {
        Duration day = Duration.ofDays(1);
        lab.addServer("valid", "none", issuer.issue(spec("valid")));
        lab.addServer(
                "expired",
                "expired",
                issuer.issue(spec("expired")
                        .from(now.minus(day.multipliedBy(40)))
                        .until(now.minus(day.multipliedBy(10)).minusSeconds(600))));
        lab.addServer(
                "expiring-soon",
                "none",
                issuer.issue(spec("expiring-soon")
                        .from(now.minus(day.multipliedBy(85)))
                        .until(now.plus(day.multipliedBy(5)).plusSeconds(600))));
        lab.addServer(
                "not-yet-valid",
                "not_yet_valid",
                issuer.issue(spec("not-yet-valid")
                        .from(now.plus(day.multipliedBy(3)))
                        .until(now.plus(day.multipliedBy(93)))));
        TestCa old = root.authority(CertificateSpec.authority("Lab Expired Issuer")
                .from(now.minus(day.multipliedBy(400)))
                .until(now.minus(day)));
        lab.addServer("expired-intermediate", "expired", old.issue(spec("expired-intermediate")));
    }

    private void names() {
        lab.addServer(
                "wrong-name", "hostname_mismatch", issuer.issue(CertificateSpec.server("somewhere-else." + DOMAIN)));
        lab.addServer("cn-only", "hostname_mismatch", issuer.issue(CertificateSpec.commonNameOnly(host("cn-only"))));
        lab.addServer("wildcard", "none", issuer.issue(CertificateSpec.server("*." + DOMAIN)));
        lab.addServer("too.deep", "hostname_mismatch", issuer.issue(CertificateSpec.server("*." + DOMAIN)));
        lab.addServer(
                "empty-subject", "none", issuer.issue(spec("empty-subject").withoutSubject()));
        Identity byAddress = issuer.issue(spec("address").address("127.0.0.1"));
        lab.addServer("address", "127.0.0.1", "none", byAddress, ServerOptions.DEFAULT, "");
        Identity one = issuer.issue(spec("one"));
        int port = lab.tcp()
                .serveByName(
                        issuer.issue(spec("default")),
                        Map.of(
                                host("one"),
                                one,
                                host("two"),
                                issuer.issue(spec("two").until(now.minusSeconds(3600)))));
        lab.add("one", host("one"), port, "none", "", "");
        lab.add("two", host("two"), port, "expired", "", "");
        lab.add("three", host("three"), port, "hostname_mismatch", "", "");
        lab.add("three-as-one", host("three"), port, "none", "", "sni=" + host("one"));
    }

    /** As many names as a result can contain, and more than a handshake can. */
    private void manyNames() {
        lab.addServer("many-names", "none", issuer.issue(spec("many-names").names(16_000)));
        lab.addFailing(
                "too-many-names",
                "tls_handshake_failed",
                issuer.issue(spec("too-many-names").names(200_000)),
                ServerOptions.DEFAULT);
    }

    private void chains() {
        lab.addServer("self-signed", "self_signed", TestCa.selfSigned(spec("self-signed")));
        Identity lone = issuer.issue(spec("missing-intermediate"));
        lab.addServer("missing-intermediate", "incomplete_chain", lone.withChain(lone.certificate()));
        TestCa unknown = TestCa.root("Unknown Root");
        Identity untrusted = unknown.issue(spec("unknown-root"));
        lab.addServer(
                "unknown-root", "untrusted_root", untrusted.withChain(untrusted.certificate(), unknown.certificate()));
        Identity valid = issuer.issue(spec("wrong-order"));
        lab.addServer(
                "wrong-order", "none", valid.withChain(valid.certificate(), root.certificate(), issuer.certificate()));
        Identity extra = issuer.issue(spec("extra-certificates"));
        lab.addServer(
                "extra-certificates",
                "none",
                extra.withChain(extra.certificate(), issuer.certificate(), unknown.certificate()));
        Identity twice = issuer.issue(spec("duplicate"));
        lab.addServer(
                "duplicate",
                "none",
                twice.withChain(twice.certificate(), twice.certificate(), issuer.certificate(), issuer.certificate()));
        TestCa crossed = TestCa.root("Lab Newer Root");
        X509Certificate bridge = root.crossSign(crossed, CertificateSpec.authority("Lab Newer Root"));
        Identity under = crossed.issue(spec("cross-signed"));
        lab.addServer("cross-signed", "none", under.withChain(under.certificate(), crossed.certificate(), bridge));
        Identity many = issuer.issue(spec("hundred"));
        List<X509Certificate> hundred = new ArrayList<>(many.chain());
        while (hundred.size() < 100) {
            hundred.add(TestCa.root("Unknown Root " + hundred.size()).certificate());
        }
        lab.addServer("hundred", "none", many.withChain(hundred.toArray(new X509Certificate[0])));
        List<X509Certificate> alike = new ArrayList<>();
        Identity maze = TestCa.root("Same Name").issue(spec("same-names"));
        alike.add(maze.certificate());
        while (alike.size() < 32) {
            alike.add(TestCa.root("Same Name").certificate());
        }
        lab.addServer("same-names", "incomplete_chain", maze.withChain(alike.toArray(new X509Certificate[0])));
    }

    private void constraints() {
        TestCa noAuthority =
                root.authority(CertificateSpec.authority("Lab No Authority").withoutBasicConstraints());
        lab.addServer("no-basic-constraints", "untrusted_root", noAuthority.issue(spec("no-basic-constraints")));
        TestCa noSigner =
                root.authority(CertificateSpec.authority("Lab No Signer").keyUsage(KeyUsage.digitalSignature));
        lab.addServer("no-cert-sign", "untrusted_root", noSigner.issue(spec("no-cert-sign")));
        TestCa shortOne =
                root.authority(CertificateSpec.authority("Lab Short Path").pathLength(0));
        lab.addServer(
                "path-too-long",
                "untrusted_root",
                shortOne.authority("Lab Below Short Path").issue(spec("path-too-long")));
        TestCa elsewhere =
                root.authority(CertificateSpec.authority("Lab Constrained").permittedSubtree("elsewhere.test"));
        lab.addServer("name-constraints", "untrusted_root", elsewhere.issue(spec("name-constraints")));
        TestCa here = root.authority(CertificateSpec.authority("Lab Permitted").permittedSubtree(DOMAIN));
        lab.addServer("name-constraints-kept", "none", here.issue(spec("name-constraints-kept")));
        lab.addServer(
                "client-purpose",
                "untrusted_root",
                issuer.issue(spec("client-purpose").purpose(KeyPurposeId.id_kp_clientAuth)));
    }

    private void algorithms() {
        TestCa rsa = root.authority(CertificateSpec.authority("Lab RSA Issuer").key("RSA-2048"));
        lab.addServer("rsa-2048", "none", rsa.issue(spec("rsa-2048").key("RSA-2048")));
        lab.addServer("rsa-1024", "weak_key", rsa.issue(spec("rsa-1024").key("RSA-1024")));
        lab.addServer("sha1", "weak_signature", rsa.issue(spec("sha1").digest("SHA1")));
        lab.addServer("md5", "weak_signature", rsa.issue(spec("md5").digest("MD5")));
        lab.addServer("p-384", "none", issuer.issue(spec("p-384").key("P-384")));
        lab.addServer(
                "ed25519",
                "none",
                issuer.issue(spec("ed25519").key("Ed25519")),
                ServerOptions.DEFAULT.withJdkProvider(),
                "");
        lab.addServer("timestamps", "none", issuer.issue(spec("timestamps").timestamps(3)));
    }
}
