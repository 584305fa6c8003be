package dev.plumbline.http.api.probe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.sheet.FieldType;
import dev.plumbline.sheet.ModuleDescription;
import io.prometheus.metrics.model.snapshots.PrometheusNaming;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FieldMetricTest {
    private static final Set<FieldType> SCALARS =
            Set.of(FieldType.BOOLEAN, FieldType.INTEGER, FieldType.NUMBER, FieldType.TIME);
    private static final ModuleCatalogue MODULES = ModuleCatalogue.load();

    @Test
    void everyNumberBooleanAndTimeHasAValidMetric() {
        for (ModuleDescription module : MODULES.descriptions()) {
            List<FieldMetric> metrics = FieldMetric.of(module).toList();

            assertThat(metrics.stream().map(metric -> metric.field().name()))
                    .containsExactlyElementsOf(module.fields().stream()
                            .filter(field -> SCALARS.contains(field.type()))
                            .map(field -> field.name())
                            .toList());
            assertThat(metrics).allSatisfy(metric -> {
                assertThat(PrometheusNaming.validateMetricName(metric.name())).isNull();
                assertThat(metric.name()).doesNotContainPattern("_(ms|days|percent)(_|$)");
                assertThat(metric.help()).isNotBlank();
            });
        }
    }

    @Test
    void metricNamesAreUnique() {
        Map<String, Long> counts = MODULES.descriptions().stream()
                .flatMap(FieldMetric::of)
                .collect(Collectors.groupingBy(FieldMetric::name, Collectors.counting()));

        assertThat(counts)
                .hasSizeGreaterThan(150)
                .allSatisfy((name, count) -> assertThat(count).as(name).isEqualTo(1));
    }

    @ParameterizedTest
    @CsvSource({
        "http-timing, dns_ms, plumbline_probe_http_timing_dns_seconds, 12.5, 0.0125",
        "http-timing, bytes, plumbline_probe_http_timing_bytes, 11, 11",
        "http-status, content_length, plumbline_probe_http_status_content_length_bytes, 11, 11",
        "http-status, redirect_count, plumbline_probe_http_status_redirect_count, 2, 2",
        "ssl-certificate, days_remaining, plumbline_probe_ssl_certificate_remaining_seconds, -2, -172800",
        "ssl-certificate, key_bits, plumbline_probe_ssl_certificate_key_bits, 2048, 2048",
        "http-compression, saving_percent, plumbline_probe_http_compression_saving_ratio, 25, 0.25",
        "hsts, max_age, plumbline_probe_hsts_max_age_seconds, 600, 600",
        "dns-records, ttl_min, plumbline_probe_dns_records_ttl_min_seconds, 60, 60",
        "http-caching, age, plumbline_probe_http_caching_age_seconds, 5, 5",
    })
    void numbersHaveBaseUnits(String module, String field, String name, double value, double expected) {
        FieldMetric metric = metric(module, field);

        assertThat(metric.name()).isEqualTo(name);
        assertThat(metric.value(value)).isEqualTo(expected);
    }

    @Test
    void booleansAndTimesAreNumbers() {
        FieldMetric flag = metric("ssl-certificate", "trusted");
        FieldMetric time = metric("domain-registration", "expires");

        assertThat(flag.name()).isEqualTo("plumbline_probe_ssl_certificate_trusted");
        assertThat(flag.value(true)).isEqualTo(1);
        assertThat(flag.value(false)).isEqualTo(0);
        assertThat(time.name()).isEqualTo("plumbline_probe_domain_registration_expires_timestamp_seconds");
        assertThat(time.value("2026-11-27T08:00:00.500Z")).isEqualTo(1795766400.5);
        assertThat(List.of(flag, time))
                .allSatisfy(metric -> assertThat(metric.value(null)).isNull());
    }

    private static FieldMetric metric(String module, String field) {
        return FieldMetric.of(MODULES.description(module))
                .filter(metric -> metric.field().name().equals(field))
                .findFirst()
                .orElseThrow();
    }
}
