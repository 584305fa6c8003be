package dev.plumbline.probe.certificate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.budget.MemoryBudget;
import dev.plumbline.egress.LabEgressGuard;
import dev.plumbline.lab.CertificateSpec;
import dev.plumbline.lab.DnsLab;
import dev.plumbline.lab.HttpFixture;
import dev.plumbline.lab.RevocationLab;
import dev.plumbline.lab.TestCa;
import dev.plumbline.probe.http.HttpProbe;
import dev.plumbline.support.Await;
import dev.plumbline.support.TestCheckContext;
import dev.plumbline.target.TargetPolicy;
import dev.plumbline.tls.RevocationStatement;
import dev.plumbline.tls.TrustRoots;
import io.vertx.core.Vertx;
import java.math.BigInteger;
import java.security.cert.X509Certificate;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RevocationProbeTest {
    private final Vertx vertx = Vertx.vertx();
    private final DnsLab dns = DnsLab.start();
    private final RevocationLab lab = new RevocationLab();
    private final TestCa issuer = TestCa.root("Issuer");
    private final X509Certificate leaf =
            issuer.issue(CertificateSpec.server("a.test").crl(lab.url("/list"))).certificate();

    @AfterEach
    void close() {
        lab.close();
        dns.close();
        Await.value(vertx.close());
    }

    private RevocationStatement query(long memoryBytes) {
        TargetPolicy policy = HttpFixture.policy(List.of("127.0.0.0/8"), List.of("*"));
        HttpProbe http = new HttpProbe(
                vertx,
                LabEgressGuard.of(vertx, policy, dns),
                new TrustRoots(List.of(), List.of()),
                policy,
                HttpFixture.USER_AGENT);
        TestCheckContext context =
                TestCheckContext.create().withMemory(new MemoryBudget(vertx, memoryBytes, 1).open("a", memoryBytes));
        return Await.value(new RevocationProbe(vertx, http).query(context, leaf, issuer.certificate()));
    }

    @Test
    void acceptsTheRevocationList() {
        lab.put("/list", () -> RevocationLab.list(issuer, leaf.getSerialNumber()));
        assertThat(query(1_000_000).status()).isEqualTo(RevocationStatement.Status.REVOKED);
        lab.put("/list", () -> RevocationLab.list(issuer, BigInteger.ONE));
        assertThat(query(1_000_000).status()).isEqualTo(RevocationStatement.Status.GOOD);
    }

    @Test
    void isUndeterminedIfThereIsNoMemoryForTheResponse() {
        lab.put("/list", () -> RevocationLab.list(issuer));
        assertThat(query(10).status()).isEqualTo(RevocationStatement.Status.UNDETERMINED);
    }
}
