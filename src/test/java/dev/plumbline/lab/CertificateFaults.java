package dev.plumbline.lab;

import static dev.plumbline.lab.TlsLab.DOMAIN;
import static dev.plumbline.lab.TlsLab.host;
import static dev.plumbline.lab.TlsLab.spec;

import dev.plumbline.lab.TestCa.Identity;
import dev.plumbline.lab.TlsServers.Manner;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;

/** Servers of the lab with every fault that lies in a certificate or its chain, and good ones. */
final class CertificateFaults {
    private final TlsLab lab;
    private final TestCa root;
    private final TestCa issuer;
    private final Instant now = Instant.now();

    CertificateFaults(TlsLab lab) {
        this.lab = lab;
        this.root = lab.root();
        this.issuer = lab.issuer();
    }

    void all() {
        dates();
        names();
        chains();
        rules();
        algorithms();
    }

    private void dates() {
        Duration day = Duration.ofDays(1);
        lab.shows("valid", "none", issuer.issue(spec("valid")));
        lab.shows(
                "expired",
                "expired",
                issuer.issue(
                        spec("expired").from(now.minus(day.multipliedBy(40))).until(now.minus(day.multipliedBy(10)))));
        lab.shows(
                "expiring-soon",
                "none",
                issuer.issue(spec("expiring-soon")
                        .until(now.plus(day.multipliedBy(5)).plusSeconds(600))));
        lab.shows(
                "not-yet-valid",
                "not_yet_valid",
                issuer.issue(spec("not-yet-valid")
                        .from(now.plus(day.multipliedBy(3)))
                        .until(now.plus(day.multipliedBy(93)))));
        TestCa old = root.authority(CertificateSpec.authority("Lab Expired Issuer")
                .from(now.minus(day.multipliedBy(400)))
                .until(now.minus(day)));
        lab.shows("expired-intermediate", "expired", old.issue(spec("expired-intermediate")));
    }

    private void names() {
        lab.shows("wrong-name", "hostname_mismatch", issuer.issue(CertificateSpec.server("somewhere-else." + DOMAIN)));
        lab.shows("cn-only", "hostname_mismatch", issuer.issue(CertificateSpec.commonNameOnly(host("cn-only"))));
        lab.shows("wildcard", "none", issuer.issue(CertificateSpec.server("*." + DOMAIN)));
        lab.shows("too.deep", "hostname_mismatch", issuer.issue(CertificateSpec.server("*." + DOMAIN)));
        Identity byAddress = issuer.issue(spec("address").address("127.0.0.1"));
        lab.shows("address", "127.0.0.1", "none", byAddress, Manner.PLAIN, "");
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

    private void chains() {
        lab.shows("self-signed", "self_signed", TestCa.selfSigned(spec("self-signed")));
        Identity lone = issuer.issue(spec("missing-intermediate"));
        lab.shows("missing-intermediate", "incomplete_chain", lone.showing(lone.certificate()));
        TestCa stranger = TestCa.root("Unknown Root");
        Identity strange = stranger.issue(spec("unknown-root"));
        lab.shows("unknown-root", "untrusted_root", strange.showing(strange.certificate(), stranger.certificate()));
        Identity valid = issuer.issue(spec("wrong-order"));
        lab.shows("wrong-order", "none", valid.showing(valid.certificate(), root.certificate(), issuer.certificate()));
        Identity extra = issuer.issue(spec("extra-certificates"));
        lab.shows(
                "extra-certificates",
                "none",
                extra.showing(extra.certificate(), issuer.certificate(), stranger.certificate()));
        Identity twice = issuer.issue(spec("duplicate"));
        lab.shows(
                "duplicate",
                "none",
                twice.showing(twice.certificate(), twice.certificate(), issuer.certificate(), issuer.certificate()));
        TestCa crossed = TestCa.root("Lab Newer Root");
        X509Certificate bridge = root.crossSign(crossed, CertificateSpec.authority("Lab Newer Root"));
        Identity under = crossed.issue(spec("cross-signed"));
        lab.shows("cross-signed", "none", under.showing(under.certificate(), crossed.certificate(), bridge));
        Identity many = issuer.issue(spec("hundred"));
        List<X509Certificate> hundred = new ArrayList<>(many.chain());
        while (hundred.size() < 100) {
            hundred.add(TestCa.root("Unknown Root " + hundred.size()).certificate());
        }
        lab.shows("hundred", "none", many.showing(hundred.toArray(new X509Certificate[0])));
        List<X509Certificate> alike = new ArrayList<>();
        Identity maze = TestCa.root("Same Name").issue(spec("same-names"));
        alike.add(maze.certificate());
        while (alike.size() < 32) {
            alike.add(TestCa.root("Same Name").certificate());
        }
        lab.shows("same-names", "incomplete_chain", maze.showing(alike.toArray(new X509Certificate[0])));
    }

    private void rules() {
        TestCa noAuthority =
                root.authority(CertificateSpec.authority("Lab No Authority").withoutBasicConstraints());
        lab.shows("no-basic-constraints", "untrusted_root", noAuthority.issue(spec("no-basic-constraints")));
        TestCa noSigner =
                root.authority(CertificateSpec.authority("Lab No Signer").keyUsage(KeyUsage.digitalSignature));
        lab.shows("no-cert-sign", "untrusted_root", noSigner.issue(spec("no-cert-sign")));
        TestCa shortOne =
                root.authority(CertificateSpec.authority("Lab Short Path").pathLength(0));
        lab.shows(
                "path-too-long",
                "untrusted_root",
                shortOne.authority("Lab Below Short Path").issue(spec("path-too-long")));
        TestCa elsewhere =
                root.authority(CertificateSpec.authority("Lab Constrained").permitting("elsewhere.test"));
        lab.shows("name-constraints", "untrusted_root", elsewhere.issue(spec("name-constraints")));
        TestCa here = root.authority(CertificateSpec.authority("Lab Permitted").permitting(DOMAIN));
        lab.shows("name-constraints-kept", "none", here.issue(spec("name-constraints-kept")));
        lab.shows(
                "client-purpose",
                "untrusted_root",
                issuer.issue(spec("client-purpose").purpose(KeyPurposeId.id_kp_clientAuth)));
    }

    private void algorithms() {
        TestCa rsa = root.authority(CertificateSpec.authority("Lab RSA Issuer").key("RSA-2048"));
        lab.shows("rsa-2048", "none", rsa.issue(spec("rsa-2048").key("RSA-2048")));
        lab.shows("rsa-1024", "weak_key", rsa.issue(spec("rsa-1024").key("RSA-1024")));
        lab.shows("sha1", "weak_signature", rsa.issue(spec("sha1").digest("SHA1")));
        lab.shows("md5", "weak_signature", rsa.issue(spec("md5").digest("MD5")));
        lab.shows("p-384", "none", issuer.issue(spec("p-384").key("P-384")));
        lab.shows("ed25519", "none", issuer.issue(spec("ed25519").key("Ed25519")), Manner.PLAIN.ofTheJdk(), "");
        lab.shows("timestamps", "none", issuer.issue(spec("timestamps").timestamps(3)));
    }
}
