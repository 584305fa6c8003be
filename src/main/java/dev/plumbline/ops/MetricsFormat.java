package dev.plumbline.ops;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The formats of metrics, those of the service and those of probes. */
public enum MetricsFormat {
    PROMETHEUS("text/plain", "0.0.4"),
    OPEN_METRICS("application/openmetrics-text", "1.0.0");

    private final String mediaType;
    private final String version;

    MetricsFormat(String mediaType, String version) {
        this.mediaType = mediaType;
        this.version = version;
    }

    public String contentType() {
        return mediaType + "; version=" + version + "; charset=utf-8";
    }

    /**
     * Returns OpenMetrics if a scraper lists it in the header {@code Accept} and does not prefer the text format of
     * Prometheus, which is the default.
     *
     * @param accept the value of the header; null without it
     */
    public static MetricsFormat accepted(@Nullable String accept) {
        List<Range> ranges = new ArrayList<>();
        for (String range : accept == null ? new String[0] : accept.split(",", -1)) {
            ranges.add(Range.of(range));
        }
        double openMetrics = OPEN_METRICS.weight(ranges);
        return openMetrics > 0 && openMetrics >= PROMETHEUS.weight(ranges) ? OPEN_METRICS : PROMETHEUS;
    }

    /** The highest weight with which ranges list this format; 0 if none does. */
    private double weight(List<Range> ranges) {
        return ranges.stream()
                .filter(range ->
                        range.mediaType.equals(mediaType) && (range.version == null || range.version.equals(version)))
                .mapToDouble(Range::weight)
                .max()
                .orElse(0);
    }

    /**
     * A media range (RFC 9110, 12.5.1).
     *
     * @param version the parameter; null without it
     * @param weight 0 to 1; 0 if it is malformed
     */
    private record Range(String mediaType, @Nullable String version, double weight) {
        static Range of(String text) {
            String[] parts = text.split(";", -1);
            String version = null;
            double weight = 1;
            for (int i = 1; i < parts.length; i++) {
                String parameter = parts[i].strip().toLowerCase(Locale.ROOT);
                if (parameter.startsWith("version=")) {
                    version = parameter.substring("version=".length()).replace("\"", "");
                } else if (parameter.startsWith("q=")) {
                    String value = parameter.substring("q=".length());
                    weight = value.matches("0(\\.[0-9]{0,3})?|1(\\.0{0,3})?") ? Double.parseDouble(value) : 0;
                }
            }
            return new Range(parts[0].strip().toLowerCase(Locale.ROOT), version, weight);
        }
    }
}
