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
    private static final String POLICY = "RateLimit-Policy";
    private static final String STATE = "RateLimit";

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
                            POLICY,
                            limited.stream().map(quota -> policy(quota, window)).collect(Collectors.joining(", ")))
                    .putHeader(
                            STATE, limited.stream().map(RateLimitHeaders::state).collect(Collectors.joining(", ")));
        }
    }

    private static String policy(QuotaStatus quota, Duration window) {
        return '"' + quota.policy() + "\";q=" + quota.limit() + ";w=" + window.toSeconds();
    }

    private static String state(QuotaStatus quota) {
        return '"' + quota.policy() + "\";r=" + quota.remaining() + ";t=" + quota.resetSeconds();
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

    /**
     * Returns the problem for an exceeded rate limit, with the headers of its quota.
     *
     * @param window of the quota
     * @param detail as in {@link #exceeded(String, String, int)}
     */
    public static Problem exceeded(QuotaStatus quota, Duration window, String detail) {
        return exceeded(quota.policy(), detail, quota.resetSeconds())
                .with(POLICY, policy(quota, window))
                .with(STATE, state(quota));
    }
}
