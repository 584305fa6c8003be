package dev.plumbline.module.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.plumbline.egress.DnsQueryLimits;
import dev.plumbline.lab.DnsLab;
import dev.plumbline.lab.LabRunner;
import dev.plumbline.lab.MailProviderZones;
import dev.plumbline.result.CheckResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Measures how many DNS queries a composite check of a healthy domain requires, with the default settings and without
 * cached responses. The limits are 1.5 times as many. The table is written to {@code target/dns-queries.md}.
 */
@Tag("integration")
class HealthyDomainQueriesTest {
    /** The number of queries for which the limits were set. */
    private static final int REQUIRED_QUERIES = 151;

    private static final int REQUIRED_QUERIES_PER_DOMAIN = 58;

    /** 1.5 / 1.1, rounded down: the tolerance of the measured number is 10 %, and 1.4 would permit only 7 %. */
    private static final double MIN_FACTOR = 1.36;

    private static final int MAX_DURATION_MS = 30_000;
    private static final int RESPONSE_MS = 50;

    /** @param perProvider the most queries for names of one provider */
    private record Row(String module, String domain, int total, int perProvider, CheckResult result) {
        String markdown() {
            return "| %s | `%s` | %d | %d | %.1f s |%n"
                    .formatted(domain, module, total, perProvider, result.durationMs() / 1e3);
        }
    }

    @Test
    void limitsAreOneAndAHalfTimesTheRequiredQueries() throws Exception {
        List<Row> rows = new ArrayList<>();
        for (String module : List.of("overview", "mail-health")) {
            for (int i = 0; i < MailProviderZones.DOMAINS; i++) {
                rows.add(measure(module, i));
            }
        }
        StringBuilder table = new StringBuilder();
        rows.forEach(row -> table.append(row.markdown()));
        Files.writeString(Path.of("target/dns-queries.md"), table);

        assertThat(rows).allSatisfy(row -> {
            assertThat(row.result().durationMs()).isLessThan(MAX_DURATION_MS);
            assertThat(row.result().findings().toString()).doesNotContain("exceeded its limit", "request limit");
        });
        int required = rows.stream().mapToInt(Row::total).max().getAsInt();
        int requiredPerDomain = rows.stream().mapToInt(Row::perProvider).max().getAsInt();
        assertThat(required).isCloseTo(REQUIRED_QUERIES, within(REQUIRED_QUERIES / 10));
        assertThat(requiredPerDomain).isCloseTo(REQUIRED_QUERIES_PER_DOMAIN, within(REQUIRED_QUERIES_PER_DOMAIN / 10));
        assertThat((double) DnsQueryLimits.MAX_QUERIES).isGreaterThanOrEqualTo(MIN_FACTOR * required);
        assertThat((double) DnsQueryLimits.MAX_PER_DOMAIN).isGreaterThanOrEqualTo(MIN_FACTOR * requiredPerDomain);
        assertThat(DnsQueryLimits.MAX_QUERIES).isEqualTo((int) Math.ceil(1.5 * REQUIRED_QUERIES));
        assertThat(DnsQueryLimits.MAX_PER_DOMAIN).isEqualTo((int) Math.ceil(1.5 * REQUIRED_QUERIES_PER_DOMAIN));
    }

    private static Row measure(String module, int index) throws Exception {
        try (DnsLab dns = DnsLab.start()) {
            MailProviderZones zones = MailProviderZones.addTo(dns.slow("", RESPONSE_MS));
            MailProviderZones.Domain domain = zones.domains().get(index);
            try (LabRunner runner = LabRunner.start(dns, Map.of("PLUMBLINE_DNS_TRUST_ANCHORS", zones.trustAnchor()))) {
                CheckResult result = runner.check(module, domain.name());
                int most = domain.providers().stream()
                        .mapToInt(dns::queriesBelow)
                        .max()
                        .orElse(0);
                return new Row(module, domain.name(), dns.queriesBelow(""), most, result);
            }
        }
    }
}
