package dev.plumbline.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConfigLoaderTest {
    @TempDir
    Path folder;

    @Test
    void defaultsNeedNoFile() throws ConfigException {
        Config config = ConfigLoader.load(null, Map.of());

        assertThat(config.http().port()).isEqualTo(8080);
        assertThat(config.http().publicUrl()).isEqualTo("http://127.0.0.1:8080");
        assertThat(config.cache().ttl()).isEqualTo(Duration.ofMinutes(10));
        assertThat(config.limits().freshPerHour()).isEqualTo(30);
        assertThat(config.targets().ports()).contains("443").hasSize(16);
        assertThat(config.database().url()).isNull();
    }

    @Test
    void everySettingOfTheFileIsReadByTheProgram() throws ConfigException {
        for (String key : ConfigLoader.defaults().keySet()) {
            String variable = "PLUMBLINE_" + key.replace('.', '_').toUpperCase(java.util.Locale.ROOT);
            if (key.equals("data.dir")) {
                continue; // any text is a path
            }
            assertThatThrownBy(() -> ConfigLoader.load(null, Map.of(variable, "\u0001 no \u0001")))
                    .as(key)
                    .isInstanceOf(ConfigException.class)
                    .hasMessageContaining(key);
        }
    }

    @Test
    void environmentWinsOverFileAndFileOverDefaults() throws Exception {
        Path file = write("http: {port: 8181, host: 0.0.0.0}\ntargets: {allow: [127.0.0.0/8]}");

        Config config = ConfigLoader.load(
                file, Map.of("PLUMBLINE_HTTP_PORT", "8282", "PLUMBLINE_TARGETS_PORTS", "80, 443", "PATH", "x"));

        assertThat(config.http().port()).isEqualTo(8282);
        assertThat(config.http().host()).isEqualTo("0.0.0.0");
        assertThat(config.targets().allow()).containsExactly("127.0.0.0/8");
        assertThat(config.targets().ports()).containsExactly("80", "443");
    }

    @Test
    void everyFaultIsNamedAtOnce() throws Exception {
        Path file = write("http: {prot: 1, port: many}\nnonsense: true");

        assertThatThrownBy(
                        () -> ConfigLoader.load(file, Map.of("PLUMBLINE_HTPP_PORT", "1", "PLUMBLINE_CACHE_TTL", "x")))
                .hasMessageContaining("http.prot: there is no such setting")
                .hasMessageContaining("http.port: 'many' is no whole number from 0 to 65535")
                .hasMessageContaining("nonsense: there is no such setting")
                .hasMessageContaining("PLUMBLINE_HTPP_PORT: there is no such setting")
                .hasMessageContaining("cache.ttl: 'x' is no duration");
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
    void whatKubernetesInjectsIsPassedOver(String name, String value) throws ConfigException {
        assertThat(ConfigLoader.load(null, Map.of(name, value)).http().port()).isEqualTo(8080);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "targets.allow | 10.0.0.0/33",
                "targets.allow | example.com",
                "http.trusted_proxies | ::1/129",
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
                "dns.resolvers | 1.1.1.1:53",
                "dns.resolvers | public=1.1.1.1",
                "dns.resolvers | default=1.1.1.1:53",
                "dns.resolvers | Public=1.1.1.1:53",
                "http.host | a b",
                "targets.ports | 90-80",
                "data.dir | ''",
                "cache.ttl | 0s",
            })
    void badValuesAreRefusedByName(String key, String value) {
        Map<String, String> environment = new TreeMap<>();
        environment.put("PLUMBLINE_" + key.replace('.', '_').toUpperCase(java.util.Locale.ROOT), value);

        assertThatThrownBy(() -> ConfigLoader.load(null, environment)).hasMessageContaining(key + ": ");
    }

    @Test
    void aMisspeltSettingIsNotTakenForOneOfKubernetes() {
        assertThatThrownBy(() -> ConfigLoader.load(null, Map.of("PLUMBLINE_HTTP_PORT_X", "1")))
                .hasMessageContaining("PLUMBLINE_HTTP_PORT_X: there is no such setting");
    }

    @Test
    void linksDoNotLeadToAllAddresses() throws ConfigException {
        assertThat(ConfigLoader.load(null, Map.of("PLUMBLINE_HTTP_HOST", "0.0.0.0"))
                        .http()
                        .publicUrl())
                .isEqualTo("http://localhost:8080");
    }

    @Test
    void aSettingGivenTwiceIsAFault() throws Exception {
        Path file = write("http: {port: 1}\nhttp: {port: 2}\n");

        assertThatThrownBy(() -> ConfigLoader.load(file, Map.of())).hasMessageContaining("uplicate");
    }

    @Test
    void aBrokenFileIsNamedWithItsLine() throws Exception {
        Path file = write("http:\n  port: [1\n");

        assertThatThrownBy(() -> ConfigLoader.load(file, Map.of()))
                .hasMessageContaining(file.toString())
                .hasMessageContaining("is no YAML");
    }

    private Path write(String yaml) throws IOException {
        return Files.writeString(folder.resolve("own.yaml"), yaml);
    }
}
