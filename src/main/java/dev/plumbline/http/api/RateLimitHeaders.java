package dev.plumbline.http.api;

import dev.plumbline.bus.JobMessage.QuotaStatus;
import dev.plumbline.http.problem.Problem;
import io.vertx.core.http.HttpServerResponse;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

/** The rate limit headers (draft-ietf-httpapi-ratelimit-headers) and problems. */
public final class RateLimitHeaders {
    private static final Duration HOUR = Duration.ofHours(1);

    private RateLimitHeaders() {}

    /** Sets the headers of the quotas that have a limit. Their windows are one hour. */
    public static void write(HttpServerResponse response, List<QuotaStatus> quotas) {
        write(response, quotas, HOUR);
    }

    /**
     * Sets the headers of the quotas that have a limit.
     *
     * @param window of the quotas
     */
    public static void write(HttpServerResponse response, List<QuotaStatus> quotas, Duration window) {
        List<QuotaStatus> limited =
                quotas.stream().filter(quota -> quota.limit() > 0).toList();
        if (!limited.isEmpty()) {
            response.putHeader(
                            "RateLimit-Policy",
                            limited.stream()
                                    .map(quota ->
                                            '"' + quota.policy() + "\";q=" + quota.limit() + ";w=" + window.toSeconds())
                                    .collect(Collectors.joining(", ")))
                    .putHeader(
                            "RateLimit",
                            limited.stream()
                                    .map(quota -> '"'
                                            + quota.policy()
                                            + "\";r="
                                            + quota.remaining()
                                            + ";t="
                                            + quota.resetSeconds())
                                    .collect(Collectors.joining(", ")));
        }
    }

    /** A sentence for people: {@code Retry in 12 minutes.} Programs use the header {@code Retry-After}. */
    public static String retry(int seconds) {
        int minutes = (seconds + 59) / 60;
        return seconds < 60
                ? "Retry in " + seconds + (seconds == 1 ? " second." : " seconds.")
                : "Retry in " + minutes + (minutes == 1 ? " minute." : " minutes.");
    }

    /**
     * Returns the problem for an exceeded rate limit.
     *
     * @param detail the exceeded limit and when to retry
     */
    public static Problem exceeded(String policy, String detail, int retryAfterSeconds) {
        return Problem.of(429, "quota-exceeded", "Rate limit exceeded", detail)
                .withExtension("violated-policies", List.of(policy))
                .with("Retry-After", Integer.toString(retryAfterSeconds));
    }
}
