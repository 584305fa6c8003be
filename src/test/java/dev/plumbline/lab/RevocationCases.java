package dev.plumbline.lab;

import static dev.plumbline.lab.TlsLab.spec;

import dev.plumbline.lab.RevocationLab.Status;
import dev.plumbline.lab.TestCa.Identity;
import dev.plumbline.lab.TlsServers.Manner;
import java.time.Instant;
import java.util.function.Function;

/** Servers of the lab whose certificates are revoked or not, and say so in every way there is. */
final class RevocationCases {
    private final TlsLab lab;
    private final TestCa issuer;

    RevocationCases(TlsLab lab) {
        this.lab = lab;
        this.issuer = lab.issuer();
    }

    void all() {
        lab.shows("must-staple", "none", issuer.issue(spec("must-staple").mustStaple()));
        Identity good = issuer.issue(spec("stapled-good").mustStaple());
        lab.shows(
                "stapled-good",
                "none",
                good,
                Manner.PLAIN.stapling(() -> RevocationLab.ocsp(
                        issuer,
                        issuer,
                        good.certificate(),
                        Status.GOOD,
                        Instant.now().minusSeconds(60),
                        2)),
                "");
        Identity bad = issuer.issue(spec("stapled-revoked"));
        lab.shows(
                "stapled-revoked",
                "revoked",
                bad,
                Manner.PLAIN.stapling(() -> RevocationLab.ocsp(issuer, bad.certificate(), Status.REVOKED)),
                "");
        answered("ocsp-good", Status.GOOD, "none");
        answered("ocsp-revoked", Status.REVOKED, "revoked");
        answered("ocsp-unknown", Status.UNKNOWN, "none");
        listed("crl-good", "none", identity -> RevocationLab.list(issuer));
        listed(
                "crl-revoked",
                "revoked",
                identity -> RevocationLab.list(issuer, identity.certificate().getSerialNumber()));
    }

    private void answered(String name, Status status, String problem) {
        asked(
                name,
                problem,
                spec(name).ocsp(lab.revocation().url("/" + name)),
                identity -> RevocationLab.ocsp(issuer, identity.certificate(), status));
    }

    private void listed(String name, String problem, Function<Identity, byte[]> list) {
        asked(name, problem, spec(name).crl(lab.revocation().url("/" + name)), list);
    }

    private void asked(String name, String problem, CertificateSpec spec, Function<Identity, byte[]> document) {
        Identity identity = issuer.issue(spec);
        lab.revocation().put("/" + name, () -> document.apply(identity));
        lab.shows(name, problem, identity, Manner.PLAIN, "check_revocation=true");
    }
}
