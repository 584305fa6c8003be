package dev.plumbline.module.web.caching;

import dev.plumbline.probe.http.HttpDate;
import dev.plumbline.probe.http.HttpExchange;
import dev.plumbline.probe.http.ResponseHeaders;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The freshness of a response to GET in the cache of a browser (RFC 9111 sections 3 and 4.2).
 *
 * @param cacheControl {@link CacheControl#NONE} if the header is not sent
 * @param expires null if not sent or invalid
 * @param age the Age header; null if not sent or invalid
 * @param storable whether a private cache may store the response
 * @param seconds the freshness lifetime; null if the response is not storable or the lifetime is not defined
 * @param heuristic whether the lifetime was calculated from Last-Modified
 */
record ResponseFreshness(
        CacheControl cacheControl,
        @Nullable Instant expires,
        @Nullable Instant lastModified,
        @Nullable Long age,
        boolean storable,
        @Nullable Long seconds,
        boolean heuristic) {

    /** The status codes that are heuristically cacheable (RFC 9110 section 15.1). */
    private static final Set<Integer> HEURISTICALLY_CACHEABLE =
            Set.of(200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501);

    /** The part of the time since the last modification that caches use as lifetime (RFC 9111 section 4.2.2). */
    private static final int HEURISTIC_DIVISOR = 10;

    private static final Pattern SECONDS = Pattern.compile("0*(\\d{1,10})(\\s*,.*)?");

    /** @param received when the response was received, for responses without a Date */
    static ResponseFreshness of(HttpExchange response, Instant received) {
        ResponseHeaders headers = response.headers();
        String header = headers.joined("cache-control");
        CacheControl cacheControl = header == null ? CacheControl.NONE : CacheControl.parse(header);
        Instant expires = date(headers.first("expires"), received);
        Instant modified = date(headers.first("last-modified"), received);
        Instant sent = date(headers.first("date"), received);
        boolean cacheable = HEURISTICALLY_CACHEABLE.contains(response.status());
        // must-understand replaces no-store in caches that implement the status code (RFC 9111 section 5.2.2.3)
        boolean forbidden = cacheControl.has("no-store") && !(cacheControl.has("must-understand") && cacheable);
        boolean storable = !forbidden
                && (cacheable
                        || cacheControl.has("public")
                        || cacheControl.has("private")
                        || cacheControl.has("max-age")
                        || headers.has("expires"));
        Long explicit = explicitSeconds(cacheControl, headers.has("expires"), expires, sent == null ? received : sent);
        Long heuristic = explicit == null && modified != null && (cacheable || cacheControl.has("public"))
                ? Math.max(
                        0,
                        Duration.between(modified, sent == null ? received : sent)
                                        .toSeconds()
                                / HEURISTIC_DIVISOR)
                : null;
        return new ResponseFreshness(
                cacheControl,
                expires,
                modified,
                age(headers.first("age")),
                storable,
                !storable ? null : explicit != null ? explicit : heuristic,
                storable && heuristic != null);
    }

    private static @Nullable Instant date(@Nullable String value, Instant received) {
        return value == null ? null : HttpDate.parse(value, received);
    }

    /** The lifetime that the server declares; null if it declares none. */
    private static @Nullable Long explicitSeconds(
            CacheControl cacheControl, boolean hasExpires, @Nullable Instant expires, Instant sent) {
        if (cacheControl.isUnqualified("no-cache")) {
            return 0L;
        }
        Long maxAge = cacheControl.seconds("max-age");
        if (maxAge != null || !hasExpires) {
            return maxAge;
        }
        return expires == null
                ? 0L
                : Math.max(0, Duration.between(sent, expires).toSeconds());
    }

    /** The first value of a list (RFC 9111 section 5.1); null if it is not a number of seconds. */
    private static @Nullable Long age(@Nullable String value) {
        var matcher = value == null ? null : SECONDS.matcher(value.strip());
        return matcher != null && matcher.matches() ? Long.valueOf(matcher.group(1)) : null;
    }
}
