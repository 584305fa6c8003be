package dev.plumbline.lab;

import static dev.plumbline.lab.TlsLab.spec;

import dev.plumbline.lab.RevocationLab.Status;
import dev.plumbline.lab.TestCa.Identity;
import dev.plumbline.lab.TlsServers.ServerOptions;
import java.time.Instant;
import java.util.function.Function;

/** Servers with valid and revoked certificates: OCSP stapling, OCSP and CRL. */
final class RevocationCases {
    private final TlsLab lab;
    private final TestCa issuer;

    RevocationCases(TlsLab lab) {
        this.lab = lab;
        this.issuer = lab.issuer();
    }

    void addAll() {
        lab.addServer("must-staple", "none", issuer.issue(spec("must-staple").mustStaple()));
        Identity good = issuer.issue(spec("stapled-good").mustStaple());
        lab.addServer(
                "stapled-good",
                "none",
                good,
                ServerOptions.DEFAULT.withStapledResponse(() -> RevocationLab.ocsp(
                        issuer,
                        issuer,
                        good.certificate(),
                        Status.GOOD,
                        Instant.now().minusSeconds(60),
                        2)),
                "");
        Identity bad = issuer.issue(spec("stapled-revoked"));
        lab.addServer(
                "stapled-revoked",
                "revoked",
                bad,
                ServerOptions.DEFAULT.withStapledResponse(
                        () -> RevocationLab.ocsp(issuer, bad.certificate(), Status.REVOKED)),
                "");
        addOcsp("ocsp-good", Status.GOOD, "none");
        addOcsp("ocsp-revoked", Status.REVOKED, "revoked");
        addOcsp("ocsp-unknown", Status.UNKNOWN, "none");
        addCrl("crl-good", "none", identity -> RevocationLab.list(issuer));
        addCrl(
                "crl-revoked",
                "revoked",
                identity -> RevocationLab.list(issuer, identity.certificate().getSerialNumber()));
    }

    private void addOcsp(String name, Status status, String problem) {
        add(
                name,
                problem,
                spec(name).ocsp(lab.revocation().url("/" + name)),
                identity -> RevocationLab.ocsp(issuer, identity.certificate(), status));
    }

    private void addCrl(String name, String problem, Function<Identity, byte[]> list) {
        add(name, problem, spec(name).crl(lab.revocation().url("/" + name)), list);
    }

    private void add(String name, String problem, CertificateSpec spec, Function<Identity, byte[]> document) {
        Identity identity = issuer.issue(spec);
        lab.revocation().put("/" + name, () -> document.apply(identity));
        lab.addServer(name, problem, identity, ServerOptions.DEFAULT, "check_revocation=true");
    }
}
