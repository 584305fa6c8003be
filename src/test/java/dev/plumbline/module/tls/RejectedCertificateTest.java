package dev.plumbline.module.tls;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.bus.Message;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.config.Config;
import dev.plumbline.config.ConfigLoader;
import dev.plumbline.lab.CertificateSpec;
import dev.plumbline.lab.TestCa;
import dev.plumbline.lab.TlsLabFixture;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.Evaluation;
import dev.plumbline.result.Finding;
import dev.plumbline.run.CheckRunner;
import dev.plumbline.run.TestRunners;
import dev.plumbline.support.Await;
import dev.plumbline.support.DebianTool;
import dev.plumbline.support.OpensslServer;
import io.vertx.core.Future;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.bouncycastle.asn1.DERUTF8String;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Certificates of openssl s_server that BoringSSL rejects during the handshake, and one that it accepts. */
@Tag("integration")
class RejectedCertificateTest {
    private static final String HOST = "rejected.test";
    private static TlsLabFixture fixture;

    @TempDir
    Path folder;

    @BeforeAll
    static void start() {
        fixture = new TlsLabFixture();
        fixture.dns.address(HOST, "127.0.0.1");
    }

    @AfterAll
    static void stop() {
        fixture.close();
    }

    private static Evaluation check(OpensslServer server) {
        return fixture.evaluate(HOST + ":" + server.port(), Map.of());
    }

    @Test
    void describesACertificateWithAnotherKeyUsage() throws Exception {
        TestCa.Identity identity = fixture.lab
                .root()
                .issue(CertificateSpec.server(HOST).key("RSA-2048").keyUsage(KeyUsage.cRLSign));
        try (OpensslServer server = OpensslServer.start(folder, identity)) {
            Evaluation evaluation = check(server);

            assertThat(evaluation.error().code()).isEqualTo(ErrorCode.TLS_HANDSHAKE_FAILED);
            assertThat(evaluation.error().message()).contains("key usage");
            assertThat(evaluation.fields())
                    .containsEntry("valid", false)
                    .containsEntry("trusted", true)
                    .containsEntry("problem", "handshake_failed")
                    .containsEntry("sans", List.of(HOST))
                    .containsEntry("key_type", "RSA")
                    .containsEntry("key_bits", 2048);
            assertThat(evaluation.findings())
                    .filteredOn(finding -> finding.code().equals("handshake_failed"))
                    .extracting(Finding::message)
                    .singleElement()
                    .asString()
                    .contains("key usage");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "genpkey -out key -algorithm EC -pkeyopt ec_paramgen_curve:prime192v1, /CN=rejected.test, EC, 192",
        "dsaparam -genkey -out key 2048, /CN=rejected.test, DSA, 2048",
        "genpkey -out key -algorithm RSA -pkeyopt rsa_keygen_bits:2048, /, RSA, 2048",
    })
    void describesCertificatesOfOtherKeysAndNames(String key, String subject, String type, int bits) throws Exception {
        openssl(key);
        openssl("req -x509 -new -key key -days 30 -addext subjectAltName=DNS:" + HOST + " -out cert -subj " + subject);
        try (OpensslServer server = OpensslServer.start(
                folder,
                TestCa.selfSigned(CertificateSpec.server("unused.test")),
                "-cert",
                folder.resolve("cert").toString(),
                "-key",
                folder.resolve("key").toString(),
                "-cipher",
                "ALL:@SECLEVEL=0")) {
            Evaluation evaluation = check(server);

            assertThat(evaluation.error().code()).isEqualTo(ErrorCode.TLS_HANDSHAKE_FAILED);
            assertThat(evaluation.fields())
                    .containsEntry("valid", false)
                    .containsEntry("sans", List.of(HOST))
                    .containsEntry("key_type", type)
                    .containsEntry("key_bits", bits);
            assertThat(evaluation.findings()).extracting(Finding::code).contains("handshake_failed", "self_signed");
        }
    }

    @Test
    void doesNotTrustAMalformedInformationAccess() throws Exception {
        TestCa.Identity identity = fixture.lab
                .root()
                .issue(CertificateSpec.server(HOST)
                        .extension(Extension.authorityInfoAccess.getId(), new DERUTF8String("malformed")));
        try (OpensslServer server = OpensslServer.start(folder, identity)) {
            Evaluation evaluation = check(server);

            assertThat(evaluation.error()).isNull();
            assertThat(evaluation.fields()).containsEntry("valid", false).containsEntry("problem", "untrusted_root");
        }
    }

    /** The website and the certificate have the same problem. */
    @Test
    void overviewNamesTheCauseOnce() throws Exception {
        TestCa root = fixture.lab.root();
        String site = "127.15.11.21";
        fixture.dns.address("site.rejected.test", site);
        NetClient client = fixture.vertx.createNetClient();
        TestCa.Identity identity = root.issue(
                CertificateSpec.server("site.rejected.test").key("RSA-2048").keyUsage(KeyUsage.cRLSign));
        try (OpensslServer server = OpensslServer.start(folder, identity)) {
            NetServer port = Await.value(fixture.vertx
                    .createNetServer()
                    .connectHandler(socket -> forward(socket, client.connect(server.port(), "127.0.0.1")))
                    .listen(443, site));
            CheckRunner runner = runner(Files.writeString(folder.resolve("root.pem"), TestCa.pem(root.certificate())));
            Map<String, Object> options = Map.of("areas", List.of("web", "tls"));
            CheckResult result = Await.value(Await.onLoop(
                    fixture.vertx,
                    () -> TestRunners.run(
                            runner,
                            new Message.RunCheck("overview", "site.rejected.test", options, false, 30_000, "t"))));
            Await.value(port.close());

            assertThat(result.findings())
                    .extracting(Finding::message)
                    .filteredOn(message -> message.contains("key usage"))
                    .singleElement()
                    .asString()
                    .startsWith("SSL certificate and ");
        }
    }

    private static void forward(NetSocket from, Future<NetSocket> connection) {
        from.pause();
        connection.onFailure(refused -> from.close()).onSuccess(to -> {
            to.pipeTo(from);
            from.pipeTo(to);
        });
    }

    private static CheckRunner runner(Path roots) throws Exception {
        Config config = ConfigLoader.load(
                null,
                Map.of(
                        "PLUMBLINE_TARGETS_ALLOW",
                        "127.0.0.0/8",
                        "PLUMBLINE_TARGETS_PER_IP_PER_SECOND",
                        "0",
                        "PLUMBLINE_DNS_SERVERS",
                        fixture.dns.address(),
                        "PLUMBLINE_TLS_EXTRA_ROOTS",
                        roots.toString()));
        return TestRunners.builder(fixture.vertx, ModuleCatalogue.load())
                .config(config)
                .capacity(4, 4)
                .build();
    }

    private void openssl(String arguments) throws Exception {
        List<String> command =
                new ArrayList<>(List.of(DebianTool.require("openssl").toString()));
        command.addAll(List.of(arguments.split(" ")));
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(Files.createFile(folder.resolve("openssl-" + System.nanoTime()))
                        .toFile())
                .start();
        assertThat(process.waitFor()).isZero();
    }
}
