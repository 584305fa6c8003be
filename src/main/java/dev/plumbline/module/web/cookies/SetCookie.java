package dev.plumbline.module.web.cookies;

import com.google.common.base.CharMatcher;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A Set-Cookie header as browsers parse it (draft-ietf-httpbis-rfc6265bis section 5.6).
 *
 * @param name bytes as ISO-8859-1; can be empty
 * @param domain lower case, without a leading dot; null if not set or empty
 * @param path null if not set; a value without a leading slash is the default path
 * @param sameSite null if not set or invalid
 * @param expires null for a session cookie
 * @param shortened whether the lifetime was reduced to the limit of browsers
 * @param ignored the attributes that browsers ignore, as in the header
 */
record SetCookie(
        String name,
        String value,
        @Nullable String domain,
        @Nullable String path,
        boolean secure,
        boolean httpOnly,
        boolean partitioned,
        @Nullable SameSite sameSite,
        @Nullable Instant expires,
        boolean shortened,
        List<String> ignored) {

    /** Which cross-site requests contain the cookie. */
    enum SameSite {
        STRICT,
        LAX,
        NONE
    }

    static final Duration MAX_LIFETIME = Duration.ofDays(400);

    private static final int MAX_ATTRIBUTE_BYTES = 1_024;
    private static final int MAX_DIGITS = 10;
    private static final CharMatcher BLANK = CharMatcher.anyOf(" \t");

    /** Attributes that some browsers use or that older standards defined. */
    private static final Set<String> WITHOUT_EFFECT = Set.of("priority", "version", "comment", "");

    /** @param now the time of receipt */
    static SetCookie parse(String header, Instant now) {
        int end = header.indexOf(';');
        String pair = end < 0 ? header : header.substring(0, end);
        int equals = pair.indexOf('=');
        Attributes attributes = new Attributes(now);
        while (end >= 0) {
            int next = header.indexOf(';', end + 1);
            attributes.add(header.substring(end + 1, next < 0 ? header.length() : next));
            end = next;
        }
        Instant expires = attributes.maxAge != null ? attributes.maxAge : attributes.expires;
        Instant latest = now.plus(MAX_LIFETIME);
        boolean shortened = expires != null && expires.isAfter(latest);
        return new SetCookie(
                equals < 0 ? "" : trim(pair.substring(0, equals)),
                trim(pair.substring(equals + 1)),
                attributes.domain,
                attributes.path,
                attributes.secure,
                attributes.httpOnly,
                attributes.partitioned,
                attributes.sameSite,
                shortened ? latest : expires,
                shortened,
                List.copyOf(attributes.ignored));
    }

    /** The number of bytes of the name and the value. */
    int size() {
        return name.length() + value.length();
    }

    private static String trim(String text) {
        return BLANK.trimFrom(text);
    }

    /** The attributes of one cookie. The last of several equal ones is used. */
    private static final class Attributes {
        private final Instant now;
        private final List<String> ignored = new ArrayList<>();
        private @Nullable String domain;
        private @Nullable String path;
        private boolean secure;
        private boolean httpOnly;
        private boolean partitioned;
        private @Nullable SameSite sameSite;
        private @Nullable Instant maxAge;
        private @Nullable Instant expires;

        Attributes(Instant now) {
            this.now = now;
        }

        void add(String text) {
            int equals = text.indexOf('=');
            String name = trim(equals < 0 ? text : text.substring(0, equals)).toLowerCase(Locale.ROOT);
            String value = equals < 0 ? "" : trim(text.substring(equals + 1));
            if (value.length() > MAX_ATTRIBUTE_BYTES || !read(name, value)) {
                ignored.add(trim(text));
            }
        }

        /** Returns whether browsers use the attribute. */
        private boolean read(String name, String value) {
            switch (name) {
                case "secure" -> secure = true;
                case "httponly" -> httpOnly = true;
                case "partitioned" -> partitioned = true;
                case "path" -> path = value;
                case "domain" -> {
                    String lower = value.toLowerCase(Locale.ROOT);
                    String host = lower.startsWith(".") ? lower.substring(1) : lower;
                    domain = host.isEmpty() ? null : host;
                }
                case "samesite" -> {
                    sameSite = sameSite(value);
                    return sameSite != null;
                }
                case "expires" -> {
                    Instant date = CookieDate.parse(value);
                    expires = date == null ? expires : date;
                    return date != null;
                }
                case "max-age" -> {
                    Instant end = maxAge(value);
                    maxAge = end == null ? maxAge : end;
                    return end != null;
                }
                default -> {
                    return WITHOUT_EFFECT.contains(name);
                }
            }
            return true;
        }

        private static @Nullable SameSite sameSite(String value) {
            for (SameSite each : SameSite.values()) {
                if (each.name().equalsIgnoreCase(value)) {
                    return each;
                }
            }
            return null;
        }

        private @Nullable Instant maxAge(String value) {
            String digits = value.startsWith("-") ? value.substring(1) : value;
            if (digits.isEmpty() || !digits.chars().allMatch(c -> c >= '0' && c <= '9')) {
                return null;
            }
            if (value.startsWith("-")) {
                return Instant.EPOCH;
            }
            long seconds = digits.length() > MAX_DIGITS ? Integer.MAX_VALUE : Long.parseLong(digits);
            return seconds == 0 ? Instant.EPOCH : now.plusSeconds(seconds);
        }
    }
}
