package dev.plumbline.module.network;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.egress.DnsQueryLimits;
import dev.plumbline.lab.DnsLab;
import dev.plumbline.lab.LabRunner;
import dev.plumbline.lab.VictimZones;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.sheet.Options;
import dev.plumbline.support.Await;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Measures what one check of a hostile domain causes at most at the nameservers of a victim. The measured table is
 * written to {@code target/third-parties.md}.
 */
@Tag("integration")
class ThirdPartyQueriesTest {
    private static final ModuleCatalogue MODULES = ModuleCatalogue.load();
    private static final Pattern ROW =
            Pattern.compile("(?m)^\\| `([a-z0-9-]+)` \\| ([0-9]+) \\| ([0-9.]+) KB \\| ([0-9]+) \\|$");

    /** The largest query (RFC 1035 section 2.3.4) with EDNS, and the headers of UDP and IPv6. */
    private static final int MAX_QUERY_BYTES = 12 + 255 + 4 + 11 + 48;

    /** Queries for aliases that are in progress when the limit is reached. */
    private static final int IN_PROGRESS = 48;

    /** @param requests connections and direct queries to any server */
    private record Traffic(int queries, int requests) {
        String bytes() {
            return "%.1f".formatted(queries * MAX_QUERY_BYTES / 1e3);
        }
    }

    @TempDir
    static Path folder;

    @Test
    void causesNoMoreTrafficThanDocumented() throws Exception {
        Files.writeString(
                folder.resolve("payloads.json"),
                "{\"roas\":[{\"asn\":64496,\"prefix\":\"192.0.2.0/24\",\"maxLength\":24}]}");
        Map<String, Traffic> measured = new TreeMap<>();
        for (ModuleDescription module : MODULES.descriptions()) {
            measured.put(module.module(), measure(module));
        }
        StringBuilder table = new StringBuilder();
        measured.forEach((module, traffic) -> table.append("| `%s` | %d | %s KB | %d |%n"
                .formatted(module, traffic.queries(), traffic.bytes(), traffic.requests())));
        Files.writeString(Path.of("target/third-parties.md"), table);

        Map<String, Traffic> documented = documented();
        assertThat(documented.keySet()).isEqualTo(measured.keySet());
        measured.forEach((module, traffic) -> {
            Traffic limit = Objects.requireNonNull(documented.get(module));
            assertThat(traffic.queries()).as(module).isLessThanOrEqualTo(limit.queries());
            assertThat(traffic.requests()).as(module).isEqualTo(limit.requests());
            int inProgress =
                    module.equals("dkim") || MODULES.find(module).description().composite() ? IN_PROGRESS : 0;
            assertThat(limit.queries()).as(module).isLessThanOrEqualTo(DnsQueryLimits.MAX_PER_DOMAIN + inProgress);
        });
    }

    private static Map<String, Traffic> documented() throws Exception {
        Map<String, Traffic> rows = new TreeMap<>();
        Matcher row = ROW.matcher(Files.readString(Path.of("src/docs/operations.md")));
        while (row.find()) {
            Traffic traffic = new Traffic(Integer.parseInt(row.group(2)), Integer.parseInt(row.group(4)));
            assertThat(row.group(3)).as(row.group(1)).isEqualTo(traffic.bytes());
            rows.put(row.group(1), traffic);
        }
        return rows;
    }

    private static Traffic measure(ModuleDescription module) throws Exception {
        Vertx vertx = Vertx.vertx();
        try (DnsLab dns = DnsLab.start()) {
            VictimZones zones = VictimZones.addTo(dns);
            HttpServer site = Await.value(vertx.createHttpServer()
                    .requestHandler(request -> request.response()
                            .putHeader("content-type", "text/html")
                            .end(VictimZones.page()))
                    .listen(0, VictimZones.ADDRESS));
            Map<String, String> settings = Map.of(
                    "PLUMBLINE_RPKI_VALIDATOR",
                    folder.resolve("payloads.json").toString(),
                    "PLUMBLINE_DNS_TRUST_ANCHORS",
                    zones.trustAnchor(),
                    "PLUMBLINE_TARGETS_DNS_PER_DOMAIN_PER_SECOND",
                    "0",
                    "PLUMBLINE_TARGETS_PER_IP_PER_SECOND",
                    "0");
            try (LabRunner runner = LabRunner.start(dns, settings)) {
                Map<String, ?> options = module.module().equals("page-links") ? Map.of("check", true) : Map.of();
                Await.value(runner.start(module.module(), target(module, site.actualPort()), options));
            }
            int requests = Objects.requireNonNull(MODULES.find(module.module())).requests(Options.defaults(module));
            return new Traffic(zones.queries(), requests);
        } finally {
            Await.value(vertx.close());
        }
    }

    private static String target(ModuleDescription module, int port) {
        return switch (module.input()) {
            case DOMAIN, HOST -> VictimZones.ATTACKER;
            case HOST_PORT -> VictimZones.ATTACKER + ":" + port;
            case URL ->
                (module.schemes().contains("http") ? "http" : module.schemes().get(0)) + "://" + VictimZones.ATTACKER
                        + ":" + port + "/";
            case IP -> VictimZones.ADDRESS;
            case EMAIL -> "user@" + VictimZones.ATTACKER;
        };
    }
}
