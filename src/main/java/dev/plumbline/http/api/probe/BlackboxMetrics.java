package dev.plumbline.http.api.probe;

import dev.plumbline.result.CheckResult;
import io.prometheus.metrics.model.snapshots.Labels;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The metrics of blackbox_exporter that the fields of a result contain, with their names and meanings, so that its
 * dashboards and alert rules work.
 */
final class BlackboxMetrics {
    private static final String PHASES = "probe_http_duration_seconds";

    /** The phases of a request by field of {@code http-timing}. */
    private static final Map<String, String> PHASE_FIELDS = Map.of(
            "dns_ms", "resolve",
            "connect_ms", "connect",
            "tls_ms", "tls",
            "ttfb_ms", "processing",
            "download_ms", "transfer");

    private final CheckResult result;
    private final MetricList metrics;

    private BlackboxMetrics(CheckResult result, MetricList metrics) {
        this.result = result;
        this.metrics = metrics;
    }

    /** Adds the metrics of a result. */
    static void add(CheckResult result, MetricList metrics) {
        new BlackboxMetrics(result, metrics).add();
    }

    private void add() {
        switch (result.module()) {
            case "http-status" -> {
                status("status");
                number("redirect_count", "probe_http_redirects", "Number of redirects", 1);
                number("content_length", "probe_http_content_length", "Length of the HTTP content in bytes", 1);
                httpVersion();
                scheme(text("final_url"));
            }
            case "http-headers" -> {
                status("status");
                httpVersion();
            }
            case "redirect-chain" -> {
                status("final_status");
                number("hop_count", "probe_http_redirects", "Number of redirects", 1);
                scheme(text("final_url"));
            }
            case "http-timing" -> {
                lookupTime("dns_ms");
                PHASE_FIELDS.forEach(this::phase);
                // redirects are not followed
                scheme(result.target());
            }
            case "ssl-certificate", "starttls-certificate" -> certificate();
            case "dns-records" -> lookupTime("response_ms");
            case "soa" -> number("serial", "probe_dns_serial", "Serial number of the zone", 1);
            default -> {
                // only the address
            }
        }
        String address = text("ip");
        if (address != null) {
            metrics.add("probe_ip_protocol", "IP version of the connection: 4 or 6", address.indexOf(':') < 0 ? 4 : 6);
        }
    }

    /** As in blackbox_exporter, the status is 0 without a response, so that its alert rules fire. */
    private void status(String field) {
        Double status = number(field);
        metrics.add("probe_http_status_code", "HTTP status code; 0 without a response", status == null ? 0 : status);
    }

    private void lookupTime(String field) {
        number(field, "probe_dns_lookup_time_seconds", "Duration of the DNS lookup", 1000);
    }

    private void phase(String field, String phase) {
        Double milliseconds = number(field);
        if (milliseconds != null) {
            metrics.add(
                    PHASES, "Duration of the HTTP request by phase", Labels.of("phase", phase), milliseconds / 1000);
        }
    }

    private void httpVersion() {
        String version = text("http_version");
        if (version != null && version.matches("\\d(\\.\\d)?")) {
            metrics.add("probe_http_version", "HTTP version of the response", Double.parseDouble(version));
        }
    }

    private void scheme(@Nullable String url) {
        if (url != null && result.error() == null) {
            metrics.add("probe_http_ssl", "Whether the last request used TLS", url.startsWith("https:"));
        }
    }

    private void certificate() {
        List<Instant> expiries = Stream.concat(
                        Stream.of(text("not_after"), text("chain_earliest_not_after")), chainExpiries())
                .filter(Objects::nonNull)
                .map(Instant::parse)
                .sorted()
                .toList();
        if (!expiries.isEmpty()) {
            metrics.add(
                    "probe_ssl_earliest_cert_expiry",
                    "Earliest expiry of the certificates that the server sent, in seconds since 1970",
                    (double) expiries.get(0).getEpochSecond());
        }
        String chain = text("chain_earliest_not_after");
        if (chain != null && Boolean.TRUE.equals(result.fields().get("trusted"))) {
            metrics.add(
                    "probe_ssl_last_chain_expiry_timestamp_seconds",
                    "Expiry of the trusted certificate chain, without its root, in seconds since 1970",
                    (double) Instant.parse(chain).getEpochSecond());
        }
        String version = text("tls_version");
        if (version != null) {
            String name = version.replace("TLSv", "TLS ");
            metrics.addInfo(
                    "probe_tls_version",
                    "Negotiated TLS version",
                    Labels.of("version", name.equals("TLS 1") ? "TLS 1.0" : name));
        }
        String cipher = text("cipher");
        if (cipher != null) {
            metrics.addInfo("probe_tls_cipher", "Negotiated cipher suite", Labels.of("cipher", cipher));
        }
    }

    private Stream<@Nullable String> chainExpiries() {
        return result.fields().get("chain") instanceof List<?> chain
                ? chain.stream()
                        .map(item -> item instanceof Map<?, ?> certificate
                                        && certificate.get("not_after") instanceof String expiry
                                ? expiry
                                : null)
                : Stream.empty();
    }

    /** @param divisor of the value of the field */
    private void number(String field, String name, String help, double divisor) {
        Double value = number(field);
        if (value != null) {
            metrics.add(name, help, value / divisor);
        }
    }

    private @Nullable Double number(String field) {
        return result.fields().get(field) instanceof Number number ? (Double) number.doubleValue() : null;
    }

    private @Nullable String text(String field) {
        return result.fields().get(field) instanceof String text ? text : null;
    }
}
