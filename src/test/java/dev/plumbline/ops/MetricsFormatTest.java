package dev.plumbline.ops;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MetricsFormatTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "''                                                                    | PROMETHEUS",
                "*/*                                                                   | PROMETHEUS",
                "text/plain                                                            | PROMETHEUS",
                "text/html, */*;q=0.8                                                  | PROMETHEUS",
                "application/openmetrics-text                                          | OPEN_METRICS",
                "Application/OpenMetrics-Text; Version=1.0.0                           | OPEN_METRICS",
                "application/openmetrics-text; version=\"1.0.0\"; charset=utf-8         | OPEN_METRICS",
                // Prometheus 2.53
                "application/openmetrics-text;version=1.0.0;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2 | OPEN_METRICS",
                // Prometheus 3
                "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.3,text/plain;version=0.0.4;q=0.2,/;q=0.1 | OPEN_METRICS",
                "application/openmetrics-text;version=0.0.1                            | PROMETHEUS",
                "application/openmetrics-text;version=2.0.0, text/plain;q=0.1          | PROMETHEUS",
                "application/openmetrics-text;q=0.1, text/plain;version=0.0.4;q=0.9    | PROMETHEUS",
                "application/openmetrics-text;q=0.1, text/plain;version=1.0.0;q=0.9    | OPEN_METRICS",
                "application/openmetrics-text;q=0                                      | PROMETHEUS",
                "application/openmetrics-text;q=x                                      | PROMETHEUS",
                "application/openmetrics-text;q=2                                      | PROMETHEUS",
                ",;q,application/openmetrics-text                                      | OPEN_METRICS"
            })
    void formatIsNegotiated(String accept, MetricsFormat format) {
        assertThat(MetricsFormat.accepted(accept)).isEqualTo(format);
    }

    @Test
    void withoutAcceptTheFormatIsThatOfPrometheus() {
        assertThat(MetricsFormat.accepted(null)).isEqualTo(MetricsFormat.PROMETHEUS);
    }
}
