package dev.plumbline.e2e.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.app.Service;
import dev.plumbline.app.StartException;
import dev.plumbline.config.Config;
import dev.plumbline.config.ConfigLoader;
import dev.plumbline.lab.CertificateSpec;
import dev.plumbline.lab.FreePorts;
import dev.plumbline.lab.TestCa;
import dev.plumbline.policy.BuiltInPolicies;
import dev.plumbline.support.CommandLineRunner;
import dev.plumbline.support.CommandResult;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Failed starts: the error names its setting, and no credentials are printed. */
@Tag("integration")
class FailedStartTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    @TempDir
    static Path folder;

    @BeforeAll
    static void writeFiles() throws Exception {
        TestCa root = TestCa.root("Lab Root");
        TestCa.Identity identity = root.issue(CertificateSpec.server("plumbline.test"));
        TestCa.Identity other = root.issue(CertificateSpec.server("other.test"));
        Files.writeString(folder.resolve("certificate.pem"), identity.pem());
        Files.writeString(folder.resolve("key.pem"), identity.keyPem());
        Files.writeString(folder.resolve("other-key.pem"), other.keyPem());
        Files.writeString(folder.resolve("text"), "no certificate, key or registry");
        Files.writeString(folder.resolve("broken.pem"), "-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n");
        Files.writeString(folder.resolve("empty"), "");
        Files.writeString(folder.resolve("other.json"), "{}");
        Files.writeString(folder.resolve("dns.json"), "{\"services\":[[[\"com\"],[\"https://rdap.example.com/\"]]]}");
        Files.writeString(folder.resolve("ipv4.json"), "[");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "http.tls_certificate | text | the file contains data that is not a certificate",
                "http.tls_certificate | broken.pem | the file contains data that is not a certificate",
                "http.tls_key | text | the file does not contain a usable private key",
                "http.tls_key | other-key.pem | the private key does not match the certificate",
                "cluster.tls_certificate | empty | the file contains no certificate",
                "cluster.tls_key | empty | the file does not contain a usable private key",
                "cluster.tls_ca | text | the file contains data that is not a certificate",
                "tls.extra_roots | empty | the file contains no certificate",
                "rdap.bootstrap | text | text is not valid JSON",
                "rdap.bootstrap | other.json | other.json contains no RDAP server",
                "rdap.bootstrap | dns.json | ipv4.json is not valid JSON",
            })
    void anInvalidFileIsAnErrorOfItsSetting(String setting, String file, String cause) throws Exception {
        Map<String, String> environment = environment();
        String section = setting.substring(0, setting.indexOf('.'));
        if (setting.startsWith("http.") || setting.startsWith("cluster.")) {
            environment.put(ConfigLoader.variable(section + ".tls_certificate"), path("certificate.pem"));
            environment.put(ConfigLoader.variable(section + ".tls_key"), path("key.pem"));
        }
        if (section.equals("cluster")) {
            environment.put("PLUMBLINE_CLUSTER_TLS_CA", path("certificate.pem"));
            environment.put("PLUMBLINE_CLUSTER_ENABLED", "true");
            environment.put("PLUMBLINE_CLUSTER_PORT", Integer.toString(FreePorts.nextPair()));
        }
        environment.put(ConfigLoader.variable(setting), path(file));

        assertThat(errorOfStart(environment))
                .startsWith(setting + " is \"" + path(file) + "\", but ")
                .contains(cause)
                .containsPattern("\\. Set [^.]+.*\\.$");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "unknown-member | policies.dir contains an invalid policy. FOLDER/policy.yaml:2: ",
                "built-in-name | policies.dir contains an invalid policy. FOLDER/policy.yaml:1: The name"
                        + " 'mozilla-intermediate' is that of a built-in policy.",
                "missing | policies.dir is \"FOLDER\", but it or one of its files cannot be read. Set"
            })
    void anInvalidPolicyIsAnErrorOfItsFile(String name, String error) throws Exception {
        Path policies = folder.resolve(name);
        if (!name.equals("missing")) {
            String yaml = BuiltInPolicies.yaml("mozilla-intermediate");
            Files.writeString(
                    Files.createDirectory(policies).resolve("policy.yaml"),
                    name.equals("built-in-name") ? yaml : "name: x\nrule: y\n");
        }
        Map<String, String> environment = environment();
        environment.put("PLUMBLINE_POLICIES_DIR", policies.toString());

        assertThat(errorOfStart(environment))
                .startsWith(error.replace("FOLDER", policies.toString()))
                .endsWith(".");
    }

    @ParameterizedTest
    @CsvSource({"tls.extra_roots, empty", "rdap.bootstrap, other.json"})
    void theCommandLineReportsTheSameError(String setting, String file) throws IOException {
        String section = setting.substring(0, setting.indexOf('.'));
        String name = setting.substring(section.length() + 1);
        Path settings =
                Files.writeString(folder.resolve("settings.yaml"), section + ": {" + name + ": '" + path(file) + "'}");

        CommandResult ended = CommandLineRunner.check(settings, "http-status", "https://example.com/");

        assertThat(ended.code()).isEqualTo(4);
        assertThat(ended.err())
                .startsWith("plumbline: Invalid configuration: " + setting + " is \"" + path(file) + "\", but ")
                .hasLineCount(1);
    }

    /** The next start prints the credentials. */
    @Test
    void aStartWithAPortInUsePrintsNoCredentials() throws Exception {
        Map<String, String> environment = environment();
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            environment.put("PLUMBLINE_HTTP_PORT", Integer.toString(taken.getLocalPort()));

            assertThat(errorOfStart(environment))
                    .isEqualTo(
                            "127.0.0.1:" + taken.getLocalPort()
                                    + " (http.host, http.port): Address already in use. Stop the other program or set another port.");
        }

        try (ServiceUnderTest service = ServiceUnderTest.start(environment.get("PLUMBLINE_DATABASE_URL"), Map.of())) {
            assertThat(service.printed()).hasSize(3);
        }
    }

    private static Map<String, String> environment() {
        Map<String, String> environment = new TreeMap<>();
        environment.put("PLUMBLINE_DATABASE_URL", DATABASE.createEmpty());
        environment.put("PLUMBLINE_SESSION_SECRET", "a secret with at least 32 characters");
        environment.put("PLUMBLINE_HTTP_PORT", Integer.toString(FreePorts.next()));
        environment.put("PLUMBLINE_MANAGEMENT_PORT", Integer.toString(FreePorts.next()));
        return environment;
    }

    private static String errorOfStart(Map<String, String> environment) throws Exception {
        Config config = ConfigLoader.load(null, environment);
        List<String> printed = new CopyOnWriteArrayList<>();
        StartException[] failure = new StartException[1];

        assertThatThrownBy(() -> Service.start(config, printed::add))
                .isInstanceOfSatisfying(StartException.class, failed -> failure[0] = failed);

        assertThat(printed).isEmpty();
        return String.valueOf(failure[0].getMessage());
    }

    private static String path(String file) {
        return folder.resolve(file).toString();
    }
}
