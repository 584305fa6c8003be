package dev.plumbline.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ConfigLoaderTest {
    @TempDir
    Path folder;

    @Test
    void defaultsRequireNoFile() throws ConfigException {
        Config config = ConfigLoader.load(null, Map.of());

        assertThat(config.http().port()).isEqualTo(8080);
        assertThat(config.http().publicUrl()).isEqualTo("http://127.0.0.1:8080");
        assertThat(config.cache().ttl()).isEqualTo(Duration.ofMinutes(10));
        assertThat(config.limits().freshPerHour()).isEqualTo(30);
        assertThat(config.targets().ports()).contains("443").hasSize(16);
        assertThat(config.database().url()).isNull();
    }

    @Test
    void validatesEverySetting() throws ConfigException {
        for (String key : ConfigLoader.defaults().keySet()) {
            String variable = ConfigLoader.variable(key);
            if (key.equals("data.dir") || key.equals("policies.dir")) {
                continue; // any text is a path
            }
            assertThatThrownBy(() -> ConfigLoader.load(null, Map.of(variable, "\u0001 no \u0001")))
                    .as(key)
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining(key);
        }
    }

    @Test
    void environmentOverridesFileAndFileOverridesDefaults() throws Exception {
        Path file = write("http: {port: 8181, host: 0.0.0.0}\ntargets: {allow: [127.0.0.0/8]}");

        Config config = ConfigLoader.load(
                file, Map.of("PLUMBLINE_HTTP_PORT", "8282", "PLUMBLINE_TARGETS_PORTS", "80, 443", "PATH", "x"));

        assertThat(config.http().port()).isEqualTo(8282);
        assertThat(config.http().host()).isEqualTo("0.0.0.0");
        assertThat(config.targets().allow()).containsExactly("127.0.0.0/8");
        assertThat(config.targets().ports()).containsExactly("80", "443");
    }

    @Test
    void reportsEveryFaultAtOnce() throws Exception {
        Path file = write("http: {prot: 1, port: many}\nnonsense: true");

        assertThatThrownBy(
                        () -> ConfigLoader.load(file, Map.of("PLUMBLINE_HTPP_PORT", "1", "PLUMBLINE_CACHE_TTL", "x")))
                .hasMessageContaining("http.prot is not a setting.")
                .hasMessageContaining("http.port is \"many\". Set a port from 1 to 65535 (0 = any free port).")
                .hasMessageContaining("nonsense is not a setting. See conf/plumbline.yaml")
                .hasMessageContaining("PLUMBLINE_HTPP_PORT is not a setting.")
                .hasMessageContaining("cache.ttl is \"x\". Set a duration from 1s to 1d.");
    }

    @ParameterizedTest
    @CsvSource({
        "PLUMBLINE_SERVICE_HOST,10.0.0.1",
        "PLUMBLINE_SERVICE_PORT_HTTP,80",
        "PLUMBLINE_PORT,tcp://10.0.0.1:80",
        "PLUMBLINE_PORT_80_TCP_ADDR,10.0.0.1",
        "PLUMBLINE_PORT_80_TCP,tcp://10.0.0.1:80",
        "PLUMBLINE_HTTP_PORT,tcp://10.0.0.1:80",
        "PLUMBLINE_DB_SERVICE_HOST,10.0.0.1"
    })
    void ignoresVariablesInjectedByKubernetes(String name, String value) throws ConfigException {
        assertThat(ConfigLoader.load(null, Map.of(name, value)).http().port()).isEqualTo(8080);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "targets.allow | 10.0.0.0/33",
                "targets.allow | example.com",
                "http.trusted_proxies | ::1/129",
                "http.cors_origins | https://app.example.com/",
                "http.cors_origins | app.example.com",
                "http.cors_origins | null",
                "targets.ports | 0",
                "targets.ports | 65536",
                "dns.servers | 127.0.0.1",
                "dns.servers | dns.example:53",
                "http.public_url | ftp://example.com",
                "http.public_url | https://user@example.com",
                "database.url | mysql://x",
                "tls.extra_roots | does-not-exist.pem",
                "http.tls_key | does-not-exist.pem",
                "targets.contact | a(b)",
                "log.level | loud",
                "targets.allow | 1.2.3",
                "targets.allow | cafe",
                "targets.deny | exa mple",
                "dns.deny_suffixes | 10.0.0.0/8",
                "dns.servers | 10.0.0.0/8:53",
                "dns.trust_anchors | . IN DS 20326 8 2 E06D44",
                "dns.trust_anchors | . IN A 192.0.2.1",
                "dns.resolvers | 1.1.1.1:53",
                "dns.propagation | 1.1.1.1:53",
                "asn.zones | origin.asn.cymru.com",
                "asn.zones | ipv5=origin.test",
                "asn.zones | ipv4=",
                "tracing.endpoint | grpc://127.0.0.1:4317",
                "tracing.sample_ratio | 1.1",
                "tracing.sample_ratio | 10%",
                "rpki.validator | ftp://validator.test/json",
                "rpki.validator | /no/such/file",
                "dns.resolvers | public=1.1.1.1",
                "dns.resolvers | default=1.1.1.1:53",
                "dns.resolvers | Public=1.1.1.1:53",
                "http.host | a b",
                "http.shutdown_delay | 2h",
                "node.roles | http,web",
                "node.roles | ','",
                "cluster.enabled | yes",
                "cluster.host | 0.0.0.0",
                "cluster.host | ::",
                "cluster.host | 10.0.0.3:5701",
                "cluster.port | 65535",
                "targets.ports | 90-80",
                "data.dir | ''",
                "cache.ttl | 0s",
            })
    void rejectsInvalidValues(String key, String value) {
        Map<String, String> environment = new TreeMap<>();
        environment.put(ConfigLoader.variable(key), value);

        assertThatThrownBy(() -> ConfigLoader.load(null, environment))
                .hasMessageMatching("(?s)(.*\n)?\\Q" + key + "\\E (is|contains) [^\n]+\\. Set [^\n]+\\.");
    }

    @Test
    void rejectsUnknownVariableThatResemblesAServiceLink() {
        assertThatThrownBy(() -> ConfigLoader.load(null, Map.of("PLUMBLINE_HTTP_PORT_X", "1")))
                .hasMessageContaining("PLUMBLINE_HTTP_PORT_X is not a setting.");
    }

    @Test
    void publicUrlOfWildcardAddressIsLocalhost() throws ConfigException {
        assertThat(ConfigLoader.load(null, Map.of("PLUMBLINE_HTTP_HOST", "0.0.0.0"))
                        .http()
                        .publicUrl())
                .isEqualTo("http://localhost:8080");
    }

    @Test
    void rejectsDuplicateSetting() throws Exception {
        Path file = write("http: {port: 1}\nhttp: {port: 2}\n");

        assertThatThrownBy(() -> ConfigLoader.load(file, Map.of())).hasMessageContaining("uplicate");
    }

    @Test
    void reportsLineOfInvalidYaml() throws Exception {
        Path file = write("http:\n  port: [1\n");

        assertThatThrownBy(() -> ConfigLoader.load(file, Map.of()))
                .hasMessageContaining(file.toString())
                .hasMessageContaining("is not valid YAML in line 2: ");
    }

    @Test
    void rejectsOutOfRangeNumbers() {
        assertThatThrownBy(() -> ConfigLoader.load(null, Map.of("PLUMBLINE_HTTP_PORT", "70000")))
                .hasMessage("http.port is 70000. Set a port from 1 to 65535 (0 = any free port).");
        assertThatThrownBy(() -> ConfigLoader.load(null, Map.of("PLUMBLINE_CACHE_TTL", "2d")))
                .hasMessage("cache.ttl is \"2d\". Set a duration from 1s to 1d.");
    }

    @Test
    void rejectsValuesOfTheWrongKind() throws Exception {
        Path file = write("http: {port: [80], host: {a: b}}\ntargets: {allow: [{a: b}], ports: 1.5}\n"
                + "jobs: {retention: }\ncache: 5\nchecks: {queue_size: 1.5}");

        assertThatThrownBy(() -> ConfigLoader.load(file, Map.of()))
                .hasMessageContaining("http.port is a list. Set a single value.")
                .hasMessageContaining("http.host.a is not a setting.")
                .hasMessageContaining("targets.allow contains \"{\"a\":\"b\"}\". Set an IP address")
                .hasMessageContaining("targets.ports contains \"1.5\". Set a port")
                .hasMessageContaining("jobs.retention is empty. Set a duration from 1s to 3660d.")
                .hasMessageContaining("cache is not a setting.")
                .hasMessageContaining("checks.queue_size is \"1.5\". Set an integer from 0 to 1000000.");
    }

    @Test
    void suggestsTheNearestSetting() {
        assertThatThrownBy(() -> ConfigLoader.load(null, Map.of("PLUMBLINE_HTTPPORT", "80")))
                .hasMessage("PLUMBLINE_HTTPPORT is not a setting. Did you mean PLUMBLINE_HTTP_PORT?");
        assertThatThrownBy(() -> ConfigLoader.load(null, Map.of("PLUMBLINE_HTTP_PROT", "80")))
                .hasMessage("PLUMBLINE_HTTP_PROT is not a setting. Did you mean PLUMBLINE_HTTP_PORT?");
    }

    @ParameterizedTest
    @CsvSource({
        "database.url,mysql://u:swordfish@db/x",
        "session.secret,swordfish",
        "bootstrap.password,swordfish",
        "bootstrap.api_key,plk_swordfish",
        "tracing.headers,swordfish",
    })
    void messagesDoNotContainSecrets(String key, String value) {
        assertThatThrownBy(() -> ConfigLoader.load(null, Map.of(ConfigLoader.variable(key), value)))
                .hasMessageStartingWith(key + " is not valid. Set ")
                .hasMessageNotContaining("swordfish");
    }

    @Test
    void headersOfTheCollectorAreHidden() throws ConfigException {
        assertThat(ConfigLoader.describe(null, Map.of("PLUMBLINE_TRACING_HEADERS", "api-key=swordfish")))
                .filteredOn(setting -> setting.name().equals("tracing.headers"))
                .singleElement()
                .satisfies(setting -> assertThat(setting.value()).isEqualTo("(hidden)"));
        assertThat(ConfigLoader.load(null, Map.of("PLUMBLINE_TRACING_HEADERS", "api-key=swordfish"))
                        .toString())
                .doesNotContain("swordfish");
    }

    @Test
    void oneZoneOfEachFamily() throws ConfigException {
        assertThat(ConfigLoader.load(null, Map.of("PLUMBLINE_ASN_ZONES", "ipv4=a.test, ipv6=b.test"))
                        .asn()
                        .zones())
                .isEqualTo(Map.of("ipv4", List.of("a.test"), "ipv6", List.of("b.test")));
        assertThatThrownBy(() -> ConfigLoader.load(null, Map.of("PLUMBLINE_ASN_ZONES", "ipv4=a.test,ipv4=b.test")))
                .hasMessage("asn.zones contains more than one zone for IPv4 or for IPv6. Set at most one of each.");
    }

    @Test
    void certificateRequiresKey() throws Exception {
        String file = write("http: {}").toString();

        assertThatThrownBy(() -> ConfigLoader.load(null, Map.of("PLUMBLINE_HTTP_TLS_KEY", file)))
                .hasMessageContaining("Only one of http.tls_certificate and http.tls_key is set.");
    }

    @Test
    void aNodeHasAllRolesByDefault() throws ConfigException {
        Config config = ConfigLoader.load(null, Map.of());

        assertThat(config.node().roles()).containsExactly(NodeRole.values());
        assertThat(config.cluster().enabled()).isFalse();
    }

    @Test
    void readsRolesOfAClusterNode() throws Exception {
        Path file = write(
                "node: {roles: [run, coordinate]}\ncluster: {enabled: true, host: 10.0.0.3, port: 6000}\n"
                        + "database: {url: 'postgresql://db/plumbline'}\nsession: {secret: a secret with at least 32 characters}");

        Config config = ConfigLoader.load(file, Map.of("PLUMBLINE_CLUSTER_INSECURE", "true"));

        assertThat(config.node().roles()).containsExactly(NodeRole.RUN, NodeRole.COORDINATE);
        assertThat(config.node().has(NodeRole.HTTP)).isFalse();
        assertThat(config.cluster().host()).isEqualTo("10.0.0.3");
        assertThat(config.cluster().busPort()).isEqualTo(6001);
    }

    @Test
    void aClusterRequiresTheSharedDatabaseAndTheSessionSecret() {
        assertThatThrownBy(() -> ConfigLoader.load(null, Map.of("PLUMBLINE_CLUSTER_ENABLED", "true")))
                .hasMessageContaining("database.url is empty, but cluster.enabled is true. Set database.url")
                .hasMessageContaining(
                        "session.secret is empty, but cluster.enabled is true. Set the same session.secret on"
                                + " every node, such as");
    }

    @Test
    void everyRoleOfAClusterRequiresTheSessionSecret() {
        assertThatThrownBy(() -> ConfigLoader.load(
                        null,
                        Map.of(
                                "PLUMBLINE_CLUSTER_ENABLED", "true",
                                "PLUMBLINE_NODE_ROLES", "run",
                                "PLUMBLINE_DATABASE_URL", "postgresql://db/plumbline")))
                .hasMessageContaining("session.secret is empty, but cluster.enabled is true.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.0.0.3", "2001:db8::3", "node.example"})
    void aClusterOffLoopbackRequiresTlsOrConsent(String host) throws Exception {
        Map<String, String> environment = cluster(host);
        assertThatThrownBy(() -> ConfigLoader.load(null, environment))
                .hasMessage(
                        "cluster.host is " + host + ", which is not a loopback address, but cluster.tls_certificate,"
                                + " cluster.tls_key and cluster.tls_ca are empty. Set them, or set cluster.insecure to true if only"
                                + " the nodes can connect to cluster.port and cluster.port + 1.");

        Map<String, String> insecure = new TreeMap<>(environment);
        insecure.put("PLUMBLINE_CLUSTER_INSECURE", "true");
        assertThat(ConfigLoader.load(null, insecure).cluster().insecure()).isTrue();

        String file = write("http: {}").toString();
        for (String setting : List.of("CERTIFICATE", "KEY", "CA")) {
            environment.put("PLUMBLINE_CLUSTER_TLS_" + setting, file);
        }
        assertThat(ConfigLoader.load(null, environment).cluster().insecure()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "127.1.2.3", "::1", "localhost"})
    void aClusterOnLoopbackRequiresNoTls(String host) throws ConfigException {
        assertThat(ConfigLoader.load(null, cluster(host)).cluster().tlsCa()).isNull();
    }

    private static Map<String, String> cluster(String host) {
        return new TreeMap<>(Map.of(
                "PLUMBLINE_CLUSTER_ENABLED", "true",
                "PLUMBLINE_CLUSTER_HOST", host,
                "PLUMBLINE_DATABASE_URL", "postgresql://db/plumbline",
                "PLUMBLINE_SESSION_SECRET", "a secret with at least 32 characters"));
    }

    @Test
    void aNodeWithoutAllRolesRequiresACluster() {
        assertThatThrownBy(() -> ConfigLoader.load(null, Map.of("PLUMBLINE_NODE_ROLES", "http, run")))
                .hasMessage(
                        "node.roles is http,run, but cluster.enabled is false. A node without a cluster needs all roles."
                                + " Set cluster.enabled to true, or set node.roles to http,run,coordinate.");
    }

    @ParameterizedTest
    @CsvSource({
        "PLUMBLINE_HTTP_PORT,9090,http.port and management.port are both 9090. Set different ports.",
        "PLUMBLINE_CLUSTER_PORT,8080,http.port and cluster.port are both 8080. Set different ports.",
        "PLUMBLINE_CLUSTER_PORT,9089,management.port and cluster.port + 1 (event bus) are both 9090. Set different ports.",
    })
    void serversHaveDifferentPorts(String variable, String port, String message) {
        Map<String, String> environment = new TreeMap<>(Map.of(
                "PLUMBLINE_CLUSTER_ENABLED", "true",
                "PLUMBLINE_HTTP_HOST", "0.0.0.0",
                "PLUMBLINE_DATABASE_URL", "postgresql://db/plumbline",
                "PLUMBLINE_SESSION_SECRET", "a secret with at least 32 characters"));
        environment.put(variable, port);

        assertThatThrownBy(() -> ConfigLoader.load(null, environment)).hasMessage(message);
    }

    @Test
    void serversOnDifferentAddressesCanHaveTheSamePort() throws ConfigException {
        assertThat(ConfigLoader.load(
                                null, Map.of("PLUMBLINE_HTTP_HOST", "192.0.2.1", "PLUMBLINE_MANAGEMENT_PORT", "8080"))
                        .management()
                        .port())
                .isEqualTo(8080);
    }

    @Test
    void aNodeWithoutTheRoleHttpCanUseItsPortForAnotherServer() throws ConfigException {
        assertThat(ConfigLoader.load(
                                null,
                                Map.of(
                                        "PLUMBLINE_NODE_ROLES", "run",
                                        "PLUMBLINE_CLUSTER_ENABLED", "true",
                                        "PLUMBLINE_DATABASE_URL", "postgresql://db/plumbline",
                                        "PLUMBLINE_SESSION_SECRET", "a secret with at least 32 characters",
                                        "PLUMBLINE_MANAGEMENT_PORT", "8080"))
                        .management()
                        .port())
                .isEqualTo(8080);
    }

    @Test
    void tlsOfTheEventBusRequiresAllThreeFiles() throws Exception {
        String file = write("http: {}").toString();

        assertThatThrownBy(() -> ConfigLoader.load(
                        null, Map.of("PLUMBLINE_CLUSTER_TLS_KEY", file, "PLUMBLINE_CLUSTER_TLS_CERTIFICATE", file)))
                .hasMessage("Only some of cluster.tls_certificate, cluster.tls_key and cluster.tls_ca are set. Set all"
                        + " three, or none of them and cluster.insecure for an event bus without TLS.");
    }

    @Test
    void readsNamedResolversInOrder() throws ConfigException {
        String value = "b=192.0.2.1:53,a=[2001:db8::1]:53,b=192.0.2.2:53";

        assertThat(ConfigLoader.load(null, Map.of("PLUMBLINE_DNS_RESOLVERS", value))
                        .dns()
                        .resolvers())
                .containsExactly(
                        Map.entry("b", List.of("192.0.2.1:53", "192.0.2.2:53")),
                        Map.entry("a", List.of("[2001:db8::1]:53")));
    }

    @Test
    void documentationListsEverySettingAndNoOther() throws IOException {
        Set<String> documented = Pattern.compile("(?m)^\\| `([a-z_]+\\.[a-z_]+)` \\|")
                .matcher(Files.readString(Path.of("src/docs/configuration.md")))
                .results()
                .map(match -> match.group(1))
                .collect(Collectors.toSet());

        assertThat(documented).isEqualTo(ConfigLoader.defaults().keySet());
    }

    private Path write(String yaml) throws IOException {
        return Files.writeString(folder.resolve("own.yaml"), yaml);
    }
}
