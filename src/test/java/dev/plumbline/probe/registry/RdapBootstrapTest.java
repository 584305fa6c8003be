package dev.plumbline.probe.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.config.Config;
import dev.plumbline.lab.RdapNetworks;
import dev.plumbline.lab.RegistryFixture;
import dev.plumbline.support.Await;
import dev.plumbline.support.CapturedLog;
import dev.plumbline.support.TestCheckContext;
import dev.plumbline.target.IpAddressText;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RdapBootstrapTest {
    private static final Config.OutboundLimit UNLIMITED = new Config.OutboundLimit(0, 0);

    @TempDir
    Path folder;

    private static Map<String, String> parse(String json) {
        return RdapBootstrap.parse(json.getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void prefersHttpsAndAppendsASlash() {
        assertThat(
                        parse(
                                """
                {"services":[[["COM","net"],["http://a.test/x","https://b.test/v1"]],
                  [["org"],["ftp://a.test/","http://c.test"]],[["de"],["no url"]],[[],[]],7]}
                """))
                .isEqualTo(Map.of("com", "https://b.test/v1/", "net", "https://b.test/v1/", "org", "http://c.test/"));
    }

    private static String serverOf(RdapBootstrap bootstrap, String domain) {
        return Await.value(bootstrap.serverOf(TestCheckContext.create(), domain))
                .orElse(null);
    }

    @Test
    void usesTheLongestSuffix() throws Exception {
        try (RegistryFixture fixture = new RegistryFixture(folder, "com")) {
            Path list = Files.writeString(
                    folder.resolve("list.json"),
                    "{\"services\":[[[\"uk\"],[\"https://uk.test/\"]],[[\"co.uk\"],[\"https://co.test/\"]]]}");
            RdapBootstrap bootstrap = new RdapBootstrap(
                    fixture.vertx(), fixture.http(), new Config.RegistrySettings("x.test", list.toString(), UNLIMITED));

            assertThat(serverOf(bootstrap, "a.co.uk")).isEqualTo("https://co.test/");
            assertThat(serverOf(bootstrap, "a.org.uk")).isEqualTo("https://uk.test/");
            assertThat(serverOf(bootstrap, "uk")).isEqualTo("https://uk.test/");
            assertThat(serverOf(bootstrap, "example.com")).isNull();
        }
    }

    @Test
    void containsASnapshot() throws Exception {
        try (RegistryFixture fixture = new RegistryFixture(folder, "com")) {
            RdapBootstrap bootstrap = new RdapBootstrap(
                    fixture.vertx(), fixture.http(), new Config.RegistrySettings("x.test", null, UNLIMITED));

            assertThat(serverOf(bootstrap, "example.com")).isEqualTo("https://rdap.verisign.com/com/v1/");
            assertThat(serverOf(bootstrap, "example.invalid")).isNull();
        }
    }

    @ParameterizedTest
    @CsvSource({
        "8.8.8.8, https://rdap.arin.net/registry/",
        "1.1.1.1, https://rdap.apnic.net/",
        "193.0.6.139, https://rdap.db.ripe.net/",
        "200.160.2.3, https://rdap.lacnic.net/rdap/",
        "2c0f:fb50::1, https://rdap.afrinic.net/rdap/",
        "2606:4700::1, https://rdap.arin.net/registry/",
        "127.0.0.1, -",
        "3000::1, -"
    })
    void containsASnapshotOfTheAddressRegistries(String ip, String server) throws Exception {
        try (RegistryFixture fixture = new RegistryFixture(folder, "com")) {
            for (String source :
                    new String[] {null, folder.resolve("list/dns.json").toString()}) {
                Files.createDirectories(folder.resolve("list"));
                Files.writeString(folder.resolve("list/dns.json"), RdapNetworks.bootstrap("https://a.test/", "com"));
                RdapBootstrap bootstrap = new RdapBootstrap(
                        fixture.vertx(), fixture.http(), new Config.RegistrySettings("x.test", source, UNLIMITED));

                assertThat(Await.value(bootstrap.serverOf(TestCheckContext.create(), IpAddressText.parse(ip))))
                        .isEqualTo(server.equals("-") ? Optional.empty() : Optional.of(server));
                assertThat(Await.value(bootstrap.serverOf(TestCheckContext.create(), 15169)))
                        .contains("https://rdap.arin.net/registry/");
            }
        }
    }

    @Test
    void downloadsTheAddressRegistriesNextToTheConfiguredRegistry() throws Exception {
        try (RegistryFixture fixture = new RegistryFixture(folder, "com")) {
            fixture.page("/rdap/ipv6.json", 200, RdapNetworks.bootstrap("https://new.test/", "2606::/16"));
            RdapBootstrap bootstrap =
                    new RdapBootstrap(fixture.vertx(), fixture.http(), fixture.base() + "dns.json", System::nanoTime);

            assertThat(Await.value(bootstrap.serverOf(TestCheckContext.create(), IpAddressText.parse("2606:4700::1"))))
                    .contains("https://new.test/");
            assertThat(fixture.rdapPaths()).containsExactly("/rdap/ipv6.json");
        }
    }

    @Test
    void documentationMatchesTheSnapshot() throws Exception {
        String document = Files.readString(Path.of("src/docs/operations.md"));
        String snapshot = Files.readString(Path.of("src/main/resources/rdap/dns.json"));
        Map<String, String> servers = parse(snapshot);
        String countryCodes = servers.keySet().stream()
                .filter(tld -> tld.length() == 2)
                .sorted()
                .collect(Collectors.joining(" "));

        assertThat(document).contains("Country codes with RDAP: `" + countryCodes + "`.");
        assertThat(document).contains("%,d TLDs".formatted(servers.size()));
        assertThat(document)
                .contains(new JsonObject(snapshot).getString("publication").substring(0, 10));
    }

    @Test
    void refreshesInTheBackgroundOnceADay() throws Exception {
        AtomicLong clock = new AtomicLong();
        try (RegistryFixture fixture = new RegistryFixture(folder, "com")) {
            fixture.page("/rdap/dns.json", 200, RdapNetworks.bootstrap("https://new.test/", "com"));
            RdapBootstrap bootstrap =
                    new RdapBootstrap(fixture.vertx(), fixture.http(), fixture.base() + "dns.json", clock::get);

            assertThat(serverOf(bootstrap, "example.com")).isEqualTo("https://new.test/");
            assertThat(fixture.rdapPaths()).hasSize(1);

            fixture.page("/rdap/dns.json", 200, RdapNetworks.bootstrap("https://newer.test/", "com"));
            clock.addAndGet(Duration.ofHours(25).toNanos());
            assertThat(serverOf(bootstrap, "example.com")).isEqualTo("https://new.test/");
            Await.until(() -> "https://newer.test/".equals(serverOf(bootstrap, "example.com")));
            assertThat(fixture.rdapPaths()).hasSize(2);
        }
    }

    @Test
    void waitsForTheConfiguredRegistryOnFirstUse() throws Exception {
        try (RegistryFixture fixture = new RegistryFixture(folder, "com")) {
            fixture.page("/rdap/dns.json", 200, RdapNetworks.bootstrap("https://new.test/", "com"));
            RdapBootstrap bootstrap =
                    new RdapBootstrap(fixture.vertx(), fixture.http(), fixture.base() + "dns.json", System::nanoTime);

            assertThat(Await.value(bootstrap.serverOf(TestCheckContext.create(), "example.com")))
                    .contains("https://new.test/");
        }
    }

    @Test
    void limitsTheWaitForTheRegistry() throws Exception {
        try (RegistryFixture fixture = new RegistryFixture(folder, "com")) {
            fixture.page("/rdap/dns.json", request -> {});
            RdapBootstrap bootstrap =
                    new RdapBootstrap(fixture.vertx(), fixture.http(), fixture.base() + "dns.json", System::nanoTime);

            assertThat(Await.value(bootstrap.serverOf(TestCheckContext.create().withDeadline(200), "example.com")))
                    .contains("https://rdap.verisign.com/com/v1/");
        }
    }

    @Test
    void ignoresAnInvalidUpdate() throws Exception {
        AtomicLong clock = new AtomicLong();
        try (RegistryFixture fixture = new RegistryFixture(folder, "com");
                CapturedLog log = new CapturedLog()) {
            fixture.page("/rdap/dns.json", 200, "{\"services\":[]}");
            RdapBootstrap bootstrap =
                    new RdapBootstrap(fixture.vertx(), fixture.http(), fixture.base() + "dns.json", clock::get);

            serverOf(bootstrap, "example.com");
            Await.until(() -> fixture.rdapPaths().size() == 1);
            // the download is retried after an hour
            Await.until(() -> {
                clock.addAndGet(Duration.ofHours(1).toNanos());
                serverOf(bootstrap, "example.com");
                return fixture.rdapPaths().size() > 1;
            });

            assertThat(serverOf(bootstrap, "example.com")).isEqualTo("https://rdap.verisign.com/com/v1/");
            assertThat(log.text())
                    .contains("RDAP bootstrap registry download failed", "cause=\"contains no RDAP server\"");
        }
    }

    @Test
    void logsTheCauseOfAFailedDownload() throws Exception {
        try (RegistryFixture fixture = new RegistryFixture(folder, "com");
                CapturedLog log = new CapturedLog()) {
            fixture.page("/rdap/dns.json", 404, "");
            new RdapBootstrap(fixture.vertx(), fixture.http(), fixture.base() + "dns.json", System::nanoTime)
                    .serverOf(TestCheckContext.create(), "example.com");
            new RdapBootstrap(fixture.vertx(), fixture.http(), "http://127.0.0.1:1/dns.json", System::nanoTime)
                    .serverOf(TestCheckContext.create(), "example.com");

            Await.until(() -> log.text().contains("cause=\"The status code is 404.\"")
                    && log.text().contains("cause=\"Connection refused by 127.0.0.1:1.\""));
        }
    }

    @Test
    void namesAnInvalidFile() throws Exception {
        try (RegistryFixture fixture = new RegistryFixture(folder, "com")) {
            Path list = Files.writeString(folder.resolve("bad.json"), "{}");

            assertThatThrownBy(() -> new RdapBootstrap(
                            fixture.vertx(),
                            fixture.http(),
                            new Config.RegistrySettings("x.test", list.toString(), UNLIMITED)))
                    .hasMessage("the file " + list + " contains no RDAP server");
        }
    }

    @Property(tries = 1000)
    void parsesAnyTextWithoutUnexpectedException(@ForAll @StringLength(max = 500) String text) {
        try {
            assertThat(parse("{\"services\":[[[\"a\"],[" + text + "]]]}")).isNotEmpty();
        } catch (IllegalArgumentException none) {
            assertThat(none).hasMessageNotContaining("null");
        }
    }
}
