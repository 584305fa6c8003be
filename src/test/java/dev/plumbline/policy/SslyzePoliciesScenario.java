package dev.plumbline.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.lab.ModuleExecution;
import dev.plumbline.lab.TlsLabFixture;
import dev.plumbline.lab.TlsScanFixture;
import dev.plumbline.module.tls.SslCertificate;
import dev.plumbline.module.tls.TlsProtocols;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Verdict;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.support.ClientTools;
import dev.plumbline.support.NginxServer;
import dev.plumbline.target.TargetParser;
import dev.plumbline.tls.CipherSuite;
import dev.plumbline.tls.KeyExchangeGroup;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Compares the Mozilla policies with sslyze, for servers with the published configurations. The policies are those of
 * version 5.8 of the guidelines, sslyze uses version 5.7. The differences are listed here.
 */
@Tag("scenario")
class SslyzePoliciesScenario {
    /** Settings that only one version of the guidelines permits for these configurations. No server has one of them. */
    private record VersionDifference(String rule, Set<String> configurations, Set<String> settings, String reason) {}

    private static final List<VersionDifference> VERSION_DIFFERENCES = List.of(
            new VersionDifference(
                    "mozilla_key_exchange_groups",
                    Set.of("modern", "intermediate", "old"),
                    Set.of("X25519MLKEM768"),
                    "Version 5.8 added the group."),
            new VersionDifference(
                    "mozilla_cipher_suites",
                    Set.of("intermediate", "old"),
                    Set.of(
                            "TLS_DHE_RSA_WITH_AES_128_GCM_SHA256",
                            "TLS_DHE_RSA_WITH_AES_256_GCM_SHA384",
                            "TLS_DHE_RSA_WITH_CHACHA20_POLY1305_SHA256"),
                    "Version 5.8 removed DHE."),
            new VersionDifference(
                    "mozilla_cipher_suites",
                    Set.of("old"),
                    Set.of("TLS_DHE_RSA_WITH_AES_128_CBC_SHA256", "TLS_DHE_RSA_WITH_AES_256_CBC_SHA256"),
                    "Version 5.8 removed DHE."),
            new VersionDifference(
                    "mozilla_dh_size",
                    Set.of("old"),
                    Set.of("dhe-1024", "dhe-2047"),
                    "The minimum is 2048 bits in version 5.8, and 1024 bits in version 5.7."));

    /** The rule of the policies, or the finding of ssl-certificate, for each issue of sslyze. */
    private static final Map<String, String> RULES = Map.ofEntries(
            Map.entry("tls_versions", "mozilla_tls_versions"),
            Map.entry("ciphers", "mozilla_cipher_suites"),
            Map.entry("ciphersuites", "mozilla_cipher_suites"),
            Map.entry("tls_curves", "mozilla_key_exchange_groups"),
            Map.entry("dh_param_size", "mozilla_dh_size"),
            Map.entry("certificate_types", "mozilla_key_type"),
            Map.entry("certificate_curves", "mozilla_ecdsa_key_size"),
            Map.entry("rsa_key_size", "mozilla_rsa_key_size"),
            Map.entry("certificate_signatures", "mozilla_signature"),
            Map.entry("maximum_certificate_lifespan", "mozilla_certificate_lifespan"),
            // not a requirement of the guidelines; the certificates of the servers are self-signed
            Map.entry("certificate_path_validation", "self_signed"));

    private static final String NOT_IN_GUIDELINES =
            "The guidelines do not contain it. tls-protocols has fields or findings of its own for some of them.";

    /** Issues of sslyze without a rule, with the reason. No server has one of them. */
    private static final Map<String, String> ONLY_SSLYZE = Map.of(
            "ecdh_param_size", "All permitted groups have at least 256 bits.",
            "tls_vulnerability_compression", NOT_IN_GUIDELINES,
            "tls_vulnerability_ccs_injection", NOT_IN_GUIDELINES,
            "tls_vulnerability_fallback_scsv", NOT_IN_GUIDELINES,
            "tls_vulnerability_heartbleed", NOT_IN_GUIDELINES,
            "tls_vulnerability_robot", NOT_IN_GUIDELINES,
            "tls_vulnerability_renegotiation", NOT_IN_GUIDELINES,
            "tls_vulnerability_extended_master_secret", NOT_IN_GUIDELINES);

    /** Rules that sslyze does not test, with the reason. */
    private static final Map<String, String> ONLY_POLICIES = Map.of(
            "mozilla_cipher_order", "sslyze does not test server_preferred_order.",
            "mozilla_hsts", "sslyze does not test hsts_min_age, because few sites meet it.");

    private static final Pattern ISSUE = Pattern.compile("(?m)^ +\\* ([a-z0-9_]+): ");
    private static final ModuleDefinition<?> PROTOCOLS = SheetModule.load(new TlsProtocols());
    private static final ModuleDefinition<?> CERTIFICATE = SheetModule.load(new SslCertificate());

    @TempDir
    static Path folder;

    private static Path sslyze;
    private static TlsScanFixture scans;
    private static TlsLabFixture certificates;

    @BeforeAll
    static void start() throws IOException {
        sslyze = ClientTools.sslyze();
        scans = TlsScanFixture.start();
        certificates = new TlsLabFixture();
    }

    @AfterAll
    static void stop() {
        if (scans != null) {
            scans.close();
        }
        if (certificates != null) {
            certificates.close();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"modern", "intermediate", "old"})
    void sslyzeFindsTheSameIssues(String configuration) throws Exception {
        try (NginxServer server = MozillaServers.start(folder, configuration)) {
            String target = "127.0.0.1:" + MozillaServers.port(server);
            CheckResult protocols = scans.check(PROTOCOLS, target, Map.of("ciphers", "true"), 20_000);
            CheckResult certificate = ModuleExecution.run(
                    certificates.vertx,
                    CERTIFICATE,
                    TargetParser.parse(CERTIFICATE.description(), target),
                    certificates.context(Map.of()));
            for (VersionDifference difference : VERSION_DIFFERENCES) {
                assertThat(settings(protocols))
                        .as("%s: %s", difference.rule(), difference.reason())
                        .isNotEmpty()
                        .doesNotContainAnyElementsOf(difference.settings());
            }

            for (String policy : MozillaServers.CONFIGURATIONS) {
                String output = sslyze(MozillaServers.port(server), policy);
                Set<String> issues = ISSUE.matcher(output)
                        .results()
                        .map(match -> match.group(1))
                        .collect(Collectors.toCollection(TreeSet::new));

                assertThat(issues).as(output).doesNotContainAnyElementsOf(ONLY_SSLYZE.keySet());
                assertThat(issues.stream()
                                .map(issue -> RULES.getOrDefault(issue, issue))
                                .distinct())
                        .as("%s with policy %s: %s", configuration, policy, output)
                        .containsExactlyInAnyOrderElementsOf(comparable(policy, protocols, certificate));
            }
        }
    }

    /** The cipher suites and groups of a server. */
    private static Set<String> settings(CheckResult result) {
        Set<String> settings = new TreeSet<>();
        ((List<?>) Objects.requireNonNull(result.fields().get("ciphers")))
                .forEach(cipher -> settings.add((String) ((Map<?, ?>) cipher).get("name")));
        ((List<?>) Objects.requireNonNull(result.fields().get("key_exchange_groups")))
                .forEach(group -> settings.add((String) group));
        return settings;
    }

    /** The output of sslyze. No server is compliant, because the certificates are self-signed. */
    private static String sslyze(int port, String policy) {
        String output = ClientTools.runWithExitCode(
                1,
                folder,
                sslyze.toString(),
                "--quiet",
                "--mozilla_config=" + policy,
                "lab.test:" + port + "{127.0.0.1}");
        assertThat(output)
                .contains("Checking results against Mozilla's \"" + policy + "\" configuration")
                .contains("lab.test:" + port + ": FAILED - Not compliant.");
        return output;
    }

    /** The rules that are not met, and findings, which sslyze tests too. */
    private static Set<String> comparable(String policy, CheckResult... results) throws InvalidPolicyException {
        Policy rules = MozillaServers.policy(policy);
        return Arrays.stream(results)
                .flatMap(result -> MozillaServers.findings(rules, result).stream())
                .map(Finding::code)
                .filter(code -> code.startsWith("mozilla_") || RULES.containsValue(code))
                .filter(code -> !ONLY_POLICIES.containsKey(code))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** A value of a setting of a server, and whether the guidelines of sslyze permit it. */
    private record Setting(String module, String rule, String name, Map<String, ?> fields, boolean permitted) {}

    @ParameterizedTest
    @ValueSource(strings = {"modern", "intermediate", "old"})
    void theVersionsDifferInTheListedSettingsOnly(String configuration) throws Exception {
        Policy policy = MozillaServers.policy(configuration);
        Set<String> rules = policy.modules().values().stream()
                .flatMap(module -> module.rules().stream())
                .map(Policy.Rule::id)
                // about the scan, not a requirement of the guidelines
                .filter(rule -> !rule.equals("mozilla_scan_complete"))
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> differing = new TreeSet<>();
        Set<String> tested = new TreeSet<>();
        for (Setting setting : settings(guidelines().getJsonObject(configuration))) {
            boolean met = MozillaServers.findings(policy, result(setting)).stream()
                    .noneMatch(finding -> finding.code().equals(setting.rule()));
            if (met != setting.permitted()) {
                differing.add(setting.rule() + " " + setting.name());
            }
            tested.add(setting.rule());
        }

        assertThat(tested).isEqualTo(rules);
        assertThat(differing)
                .containsExactlyInAnyOrderElementsOf(VERSION_DIFFERENCES.stream()
                        .filter(difference -> difference.configurations().contains(configuration))
                        .flatMap(difference ->
                                difference.settings().stream().map(setting -> difference.rule() + " " + setting))
                        .toList());
    }

    /** The configurations of the guidelines that sslyze contains. */
    private static JsonObject guidelines() throws IOException {
        try (Stream<Path> files = Files.walk(sslyze.getParent().resolveSibling("lib"))) {
            Path file = files.filter(path -> path.endsWith("sslyze/mozilla_tls_profile/5.7.json"))
                    .findFirst()
                    .orElseThrow();
            return new JsonObject(Files.readString(file)).getJsonObject("configurations");
        }
    }

    private static List<Setting> settings(JsonObject configuration) {
        List<Setting> settings = new ArrayList<>();
        List<String> versions = strings(configuration, "tls_versions");
        for (String version : List.of("SSLv3", "TLSv1", "TLSv1.1", "TLSv1.2", "TLSv1.3")) {
            settings.add(protocols("mozilla_tls_versions", version, "versions", List.of(version), versions));
        }
        List<String> suites = new ArrayList<>(strings(configuration, "ciphersuites"));
        suites.addAll(strings(configuration.getJsonObject("ciphers"), "iana"));
        for (CipherSuite suite : CipherSuite.all()) {
            Map<String, String> cipher = Map.of("version", "TLSv1.2", "name", suite.name());
            settings.add(protocols("mozilla_cipher_suites", suite.name(), "ciphers", List.of(cipher), suites));
        }
        List<String> curves = strings(configuration, "tls_curves").stream()
                .map(curve -> curve.equals("prime256v1") ? "secp256r1" : curve.replace("X25519", "x25519"))
                .toList();
        Stream.concat(KeyExchangeGroup.TLS_1_3.stream(), KeyExchangeGroup.CURVES.stream())
                // finite field groups are those of dh_param_size
                .filter(code -> KeyExchangeGroup.primeBits(code) == 0)
                .map(KeyExchangeGroup::name)
                .distinct()
                .map(group ->
                        protocols("mozilla_key_exchange_groups", group, "key_exchange_groups", List.of(group), curves))
                .forEach(settings::add);
        Integer minimum = configuration.getInteger("dh_param_size");
        for (int bits : minimum == null ? new int[0] : new int[] {1023, 1024, 2047, 2048}) {
            String group = "dhe-" + bits;
            settings.add(new Setting(
                    "tls-protocols",
                    "mozilla_dh_size",
                    group,
                    Map.of("key_exchange_groups", List.of(group)),
                    bits >= minimum));
        }
        for (boolean order : new boolean[] {false, true}) {
            settings.add(new Setting(
                    "tls-protocols",
                    "mozilla_cipher_order",
                    "" + order,
                    Map.of("server_prefers_order", order),
                    configuration.getBoolean("server_preferred_order") == order));
        }
        settings.addAll(certificateSettings(configuration));
        for (int age : new int[] {63_071_999, 63_072_000}) {
            settings.add(new Setting(
                    "hsts",
                    "mozilla_hsts",
                    "" + age,
                    Map.of("max_age", age),
                    age >= configuration.getInteger("hsts_min_age")));
        }
        return settings;
    }

    private static List<Setting> certificateSettings(JsonObject configuration) {
        List<Setting> settings = new ArrayList<>();
        List<String> types = strings(configuration, "certificate_types");
        Map.of("EC", "ecdsa", "RSA", "rsa", "Ed25519", "ed25519")
                .forEach((type, name) -> settings.add(
                        certificate("mozilla_key_type", type, Map.of("key_type", type), types.contains(name))));
        Integer minimum = configuration.getInteger("rsa_key_size");
        for (int bits : minimum == null ? new int[0] : new int[] {1024, 2047, 2048, 4096}) {
            settings.add(certificate(
                    "mozilla_rsa_key_size", "" + bits, Map.of("key_type", "RSA", "key_bits", bits), bits >= minimum));
        }
        // the policy of the old configuration does not permit ECDSA keys
        List<String> curves = strings(configuration, "certificate_curves");
        if (types.contains("ecdsa")) {
            Map.of("secp224r1", 224, "prime256v1", 256, "secp384r1", 384, "secp521r1", 521)
                    .forEach((curve, bits) -> settings.add(certificate(
                            "mozilla_ecdsa_key_size",
                            curve,
                            Map.of("key_type", "EC", "key_bits", bits),
                            curves.contains(curve))));
        }
        List<String> signatures = strings(configuration, "certificate_signatures");
        for (String signature : List.of(
                "sha1WithRSAEncryption",
                "sha256WithRSAEncryption",
                "sha384WithRSAEncryption",
                "sha512WithRSAEncryption",
                "ecdsa-with-SHA1",
                "ecdsa-with-SHA256",
                "ecdsa-with-SHA384",
                "ecdsa-with-SHA512")) {
            settings.add(certificate(
                    "mozilla_signature",
                    signature,
                    Map.of("signature_algorithm", signature),
                    signatures.contains(signature)));
        }
        for (int days : new int[] {90, 91, 366, 367}) {
            settings.add(certificate(
                    "mozilla_certificate_lifespan",
                    days + " days",
                    Map.of("not_before", Instant.EPOCH, "not_after", Instant.EPOCH.plus(Duration.ofDays(days))),
                    days <= configuration.getInteger("maximum_certificate_lifespan")));
        }
        return settings;
    }

    private static Setting protocols(String rule, String name, String field, Object value, List<String> permitted) {
        return new Setting("tls-protocols", rule, name, Map.of(field, value), permitted.contains(name));
    }

    private static Setting certificate(String rule, String name, Map<String, ?> fields, boolean permitted) {
        return new Setting("ssl-certificate", rule, name, fields, permitted);
    }

    private static List<String> strings(JsonObject object, String member) {
        return object.getJsonArray(member).stream().map(String.class::cast).toList();
    }

    /** A result with one setting. The other fields are null. */
    private static CheckResult result(Setting setting) {
        ModuleDescription module = MozillaServers.module(setting.module());
        Map<String, Object> fields = new HashMap<>();
        module.fields().forEach(field -> fields.put(field.name(), null));
        fields.putAll(setting.fields());
        return new CheckResult(
                module.module(),
                module.rules(),
                "example.com",
                Verdict.PASS,
                fields,
                List.of(),
                List.of(),
                null,
                Instant.EPOCH,
                0);
    }
}
