package dev.plumbline.http.api.probe;

import dev.plumbline.result.CheckError;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Verdict;
import dev.plumbline.sheet.ModuleDescription;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/** Converts a result to metrics. */
final class ProbeMetrics {
    private ProbeMetrics() {}

    /**
     * @param timeout the time limit of the check
     * @param age the time since the check
     */
    static MetricSnapshots of(ModuleDescription module, CheckResult result, Duration timeout, Duration age) {
        MetricList metrics = new MetricList();
        metrics.add(
                "probe_success",
                "Whether the verdict is pass or warn",
                result.verdict() == Verdict.PASS || result.verdict() == Verdict.WARN);
        metrics.add("probe_duration_seconds", "Duration of the check", result.durationMs() / 1000.0);
        metrics.add("probe_timeout_seconds", "Time limit of the check", timeout.toMillis() / 1000.0);
        metrics.add("plumbline_probe_age_seconds", "Age of the result", age.toMillis() / 1000.0);
        BlackboxMetrics.add(result, metrics);
        FieldMetric.of(module).forEach(metric -> {
            Double value = metric.value(result.fields().get(metric.field().name()));
            if (value != null) {
                metrics.add(metric.name(), metric.help(), value);
            }
        });
        // a code can occur several times, for example for each address
        Map<Labels, Long> findings = result.findings().stream()
                .collect(Collectors.groupingBy(ProbeMetrics::labels, LinkedHashMap::new, Collectors.counting()));
        findings.forEach((labels, count) -> metrics.add(
                "plumbline_probe_finding", "Number of findings by code and level", labels, count.doubleValue()));
        CheckError error = result.error();
        if (error != null) {
            metrics.add(
                    "plumbline_probe_error",
                    "Error code of a check that could not be completed",
                    Labels.of("code", error.code().id()),
                    1);
        }
        return metrics.snapshots();
    }

    private static Labels labels(Finding finding) {
        return Labels.of("code", finding.code(), "level", finding.level().id());
    }
}
