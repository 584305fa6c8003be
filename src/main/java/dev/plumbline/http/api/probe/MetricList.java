package dev.plumbline.http.api.probe;

import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.InfoSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The metrics of one result: gauges and information. */
final class MetricList {
    private final Map<String, GaugeSnapshot.Builder> gauges = new LinkedHashMap<>();
    private final List<MetricSnapshot> information = new ArrayList<>();

    void add(String name, String help, boolean value) {
        add(name, help, value ? 1 : 0);
    }

    void add(String name, String help, double value) {
        add(name, help, Labels.EMPTY, value);
    }

    /** Adds a sample of a gauge. Samples of one name have different labels. */
    void add(String name, String help, Labels labels, double value) {
        gauges.computeIfAbsent(name, key -> GaugeSnapshot.builder().name(name).help(help))
                .dataPoint(GaugeSnapshot.GaugeDataPointSnapshot.builder()
                        .labels(labels)
                        .value(value)
                        .build());
    }

    /**
     * Adds a metric with the value 1.
     *
     * @param name without the suffix {@code _info}
     */
    void addInfo(String name, String help, Labels labels) {
        information.add(InfoSnapshot.builder()
                .name(name)
                .help(help)
                .dataPoint(InfoSnapshot.InfoDataPointSnapshot.builder()
                        .labels(labels)
                        .build())
                .build());
    }

    /** All metrics, sorted by name. */
    MetricSnapshots snapshots() {
        List<MetricSnapshot> all = new ArrayList<>(information);
        gauges.values().forEach(gauge -> all.add(gauge.build()));
        return new MetricSnapshots(all);
    }
}
