package dev.plumbline.e2e.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.lab.CertificateSpec;
import dev.plumbline.lab.TestCa;
import dev.plumbline.support.Await;
import dev.plumbline.support.CountingTarget;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The event bus with mutual TLS. */
@Tag("integration")
class ClusterTlsIT {
    private static final int CHECKS = 30;

    @RegisterExtension
    final ClusterProcesses cluster = new ClusterProcesses();

    @TempDir
    Path folder;

    private final Vertx vertx = Vertx.vertx();
    private final CountingTarget target = CountingTarget.atAddresses(vertx, "127.1.4");

    @Test
    void onlyNodesWithACertificateOfTheClusterExchangeChecks() throws Exception {
        TestCa ca = TestCa.root("Cluster CA");
        TestCa other = TestCa.root("Another CA");
        try (CrashableDatabase database = CrashableDatabase.start(folder.resolve("database"));
                cluster) {
            cluster.open(folder, database.url());
            cluster.add("http", "http").add("run", "run,coordinate").add("rogue", "http,run");
            useCertificate("http", ca);
            useCertificate("run", ca);
            useCertificate("rogue", other);
            cluster.start("http", "run");

            check("http", 0);
            assertThat(cluster.sum("run", "plumbline_checks_total")).isEqualTo(CHECKS);
            assertThatThrownBy(() -> connectWithoutCertificate(cluster.port("run", "CLUSTER_PORT") + 1))
                    .isInstanceOf(IOException.class);

            cluster.launch("rogue").awaitReady();
            // a member on Hazelcast, but not a node that can be used
            Await.until(() -> cluster.metric("http", "plumbline_cluster_members") == 3);
            assertThat(cluster.metric("http", "plumbline_cluster_nodes{role=\"run\"}"))
                    .isEqualTo(1);
            check("http", 1);
            check("rogue", 2);

            assertThat(cluster.sum("run", "plumbline_checks_total")).isEqualTo(2 * CHECKS);
            assertThat(cluster.sum("rogue", "plumbline_checks_total")).isEqualTo(CHECKS);
        } finally {
            Await.value(vertx.close());
        }
    }

    private void useCertificate(String node, TestCa ca) throws IOException {
        TestCa.Identity identity =
                ca.issue(CertificateSpec.server(node).address("127.0.0.1").purpose(KeyPurposeId.anyExtendedKeyUsage));
        Path own = Files.createDirectories(folder.resolve("certificates-" + node));
        Files.writeString(own.resolve("chain.pem"), identity.pem());
        Files.writeString(own.resolve("key.pem"), identity.keyPem());
        Files.writeString(own.resolve("ca.pem"), TestCa.pem(ca.certificate()));
        cluster.settings(node)
                .putAll(Map.of(
                        "CLUSTER_TLS_CERTIFICATE", own.resolve("chain.pem").toString(),
                        "CLUSTER_TLS_KEY", own.resolve("key.pem").toString(),
                        "CLUSTER_TLS_CA", own.resolve("ca.pem").toString()));
    }

    private void check(String node, int round) {
        for (int i = 0; i < CHECKS; i++) {
            HttpResponse<String> response =
                    cluster.node(node).instant("http-status", target.url("/ok/" + round + "/" + i));
            assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
            assertThat(new JsonObject(response.body()).getString("error")).isNull();
        }
    }

    /** Reads until the server rejects the missing certificate, in TLS 1.3 after the handshake. */
    private static void connectWithoutCertificate(int port) throws Exception {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, new TrustManager[] {new TrustEverything()}, new SecureRandom());
        try (SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket("127.0.0.1", port)) {
            socket.setSoTimeout(10_000);
            socket.startHandshake();
            socket.getOutputStream().write(0);
            assertThat(socket.getInputStream().read()).isNotNegative();
        }
    }

    private static final class TrustEverything implements X509TrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String kind) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String kind) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
