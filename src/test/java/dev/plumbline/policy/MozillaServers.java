package dev.plumbline.policy;

import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.lab.CertificateSpec;
import dev.plumbline.lab.TestCa;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.Finding;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.support.NginxServer;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Servers with the TLS configurations of nginx that Mozilla publishes, and the policies for these configurations. */
final class MozillaServers {
    /** The names of the configurations and, after {@code mozilla-}, of the policies. The strictest is the first. */
    static final List<String> CONFIGURATIONS = List.of("modern", "intermediate", "old");

    private static final ModuleCatalogue MODULES = ModuleCatalogue.load();

    /** The published directives, without X25519MLKEM768, which Debian's OpenSSL does not support. */
    private static final Map<String, String> DIRECTIVES = Map.of(
            "modern",
            """
            ssl_protocols TLSv1.3;
            ssl_ecdh_curve X25519:prime256v1:secp384r1;
            ssl_prefer_server_ciphers off;
            """,
            "intermediate",
            """
            ssl_protocols TLSv1.2 TLSv1.3;
            ssl_ecdh_curve X25519:prime256v1:secp384r1;
            ssl_ciphers ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305;
            ssl_prefer_server_ciphers off;
            """,
            "old",
            """
            ssl_protocols TLSv1 TLSv1.1 TLSv1.2 TLSv1.3;
            ssl_ecdh_curve X25519:prime256v1:secp384r1;
            ssl_ciphers @SECLEVEL=0:ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305:ECDHE-ECDSA-AES128-SHA256:ECDHE-RSA-AES128-SHA256:ECDHE-ECDSA-AES128-SHA:ECDHE-RSA-AES128-SHA:ECDHE-ECDSA-AES256-SHA384:ECDHE-RSA-AES256-SHA384:ECDHE-ECDSA-AES256-SHA:ECDHE-RSA-AES256-SHA:AES128-GCM-SHA256:AES256-GCM-SHA384:AES128-SHA256:AES256-SHA256:AES128-SHA:AES256-SHA:DES-CBC3-SHA;
            ssl_prefer_server_ciphers on;
            """);

    private MozillaServers() {}

    /**
     * Starts a server with a self-signed RSA certificate for 91 days. The test is skipped if nginx is not installed.
     */
    static NginxServer start(Path folder, String configuration) throws IOException {
        Path directory = Files.createDirectory(folder.resolve(configuration));
        TestCa.Identity identity =
                TestCa.selfSigned(CertificateSpec.server("lab.test").key("RSA-2048"));
        return NginxServer.start(directory, identity, Objects.requireNonNull(DIRECTIVES.get(configuration)));
    }

    static int port(NginxServer server) {
        return URI.create(server.https("/")).getPort();
    }

    static ModuleDescription module(String name) {
        return Objects.requireNonNull(MODULES.description(name));
    }

    /** The policy for a configuration. */
    static Policy policy(String configuration) throws InvalidPolicyException {
        String name = "mozilla-" + configuration;
        String yaml = Objects.requireNonNull(BuiltInPolicies.yaml(name));
        return new PolicyReader(MODULES::description, new ExpressionPrograms()).read(name, yaml);
    }

    /** The findings of a result after the evaluation of a policy. */
    static List<Finding> findings(Policy policy, CheckResult result) {
        return new PolicyEvaluation(module(result.module()), policy, List.of(), LocalDate.of(2026, 11, 26))
                .apply(result)
                .result()
                .findings();
    }
}
