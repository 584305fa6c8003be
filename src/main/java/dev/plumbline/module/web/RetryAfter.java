package dev.plumbline.module.web;

import dev.plumbline.probe.http.HttpDate;
import dev.plumbline.probe.http.HttpExchange;
import dev.plumbline.sheet.FindingCollector;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The header Retry-After of a response with status 429 (RFC 6585 section 4) or 503 (RFC 9110 section 15.6.4). Without
 * it, a result is not temporary, because servers that are broken send 503 too.
 *
 * @param value as the server sent it: seconds or an HTTP date
 * @param seconds the delay after the response
 */
record RetryAfter(String value, long seconds) {
    private static final Pattern DELAY_SECONDS = Pattern.compile("\\d+");
    private static final int MAX_DIGITS = 18;

    /**
     * The valid header of a response.
     *
     * @param receivedAt when the response was received
     * @return null if the status is not 429 or 503, or the header is missing, malformed or sent several times
     */
    static @Nullable RetryAfter of(HttpExchange response, Instant receivedAt) {
        List<String> values = response.headers().all("retry-after");
        if (response.status() != 429 && response.status() != 503 || values.size() != 1) {
            return null;
        }
        String value = values.get(0).strip();
        if (DELAY_SECONDS.matcher(value).matches()) {
            return new RetryAfter(value, value.length() > MAX_DIGITS ? Long.MAX_VALUE : Long.parseLong(value));
        }
        Instant retryAt = HttpDate.parse(value, receivedAt);
        return retryAt == null ? null : new RetryAfter(value, secondsUntil(retryAt, response, receivedAt));
    }

    /** Reports the finding of the status with the value, and declares the result temporary. */
    void report(int status, FindingCollector findings, Consumer<String> rateLimited, Consumer<String> unavailable) {
        (status == 429 ? rateLimited : unavailable).accept(value);
        findings.retryAfter(seconds);
    }

    /** Uses the clock of the server if it sent the header Date, because its clock can differ. */
    private static long secondsUntil(Instant retryAt, HttpExchange response, Instant receivedAt) {
        String date = response.headers().first("date");
        Instant sentAt = date == null ? null : HttpDate.parse(date, receivedAt);
        Duration delay = Duration.between(sentAt == null ? receivedAt : sentAt, retryAt);
        return delay.isNegative() ? 0 : delay.plusSeconds(1).minusNanos(1).toSeconds();
    }
}
