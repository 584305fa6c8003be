package dev.plumbline.module.web.cookies;

import com.google.common.net.InternetDomainName;
import dev.plumbline.target.Target;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Stores cookies as browsers do (draft-ietf-httpbis-rfc6265bis section 5.7). Not thread-safe. */
final class CookieJar {
    private static final int MAX_BYTES = 4_096;

    private final Instant now;
    private final List<Cookie> cookies = new ArrayList<>();

    /** The positions of the stored cookies. */
    private final Map<Key, Integer> stored = new HashMap<>();

    private record Key(String name, String domain, String path, boolean partitioned) {}

    /** What browsers do with a cookie. */
    enum State {
        STORED,
        /** A later cookie with the same name, domain and path replaces or deletes it. */
        REPLACED,
        /** The expiry is in the past, which deletes the cookie. */
        EXPIRED,
        REJECTED
    }

    /** Why browsers reject a cookie. */
    enum Rejection {
        MALFORMED,
        TOO_LARGE,
        PREFIX,
        NOT_HTTPS,
        SECURE_EXISTS,
        DOMAIN,
        PUBLIC_SUFFIX,
        SAME_SITE_NONE,
        PARTITIONED
    }

    /**
     * A received cookie.
     *
     * @param url the URL of the response
     * @param domain the host; with a leading dot if the cookie is also sent to subdomains
     * @param prefixOk whether the requirements of the prefix are met, or the name has none
     * @param rejection null if it was not rejected
     */
    record Cookie(
            SetCookie header,
            Target.Url url,
            String domain,
            String path,
            boolean prefixOk,
            State state,
            @Nullable Rejection rejection) {

        boolean hostOnly() {
            return !domain.startsWith(".");
        }

        Cookie replaced() {
            return new Cookie(header, url, domain, path, prefixOk, State.REPLACED, null);
        }

        /** Whether browsers send the cookie with requests for the host. */
        boolean sentTo(String host) {
            return hostOnly() ? host.equals(domain) : isWithin(host, domain.substring(1));
        }
    }

    CookieJar(Instant now) {
        this.now = now;
    }

    int size() {
        return cookies.size();
    }

    /** All cookies in the order of receipt. */
    List<Cookie> cookies() {
        return List.copyOf(cookies);
    }

    void receive(Target.Url url, String header) {
        SetCookie cookie = SetCookie.parse(header, now);
        String host = url.host().name();
        String declared = cookie.domain();
        boolean hostOnly =
                declared == null || declared.equals(host) && (url.host().literal() != null || isSuffix(host));
        String domain = declared == null ? host : declared;
        String path = cookie.path() != null && cookie.path().startsWith("/") ? cookie.path() : defaultPath(url);
        boolean prefixOk = prefixOk(cookie, hostOnly);
        Rejection rejection = rejection(url, cookie, hostOnly, domain, path, header);
        if (rejection == null && !prefixOk) {
            rejection = Rejection.PREFIX;
        }
        boolean expired = cookie.expires() != null && !cookie.expires().isAfter(now);
        State state = rejection != null ? State.REJECTED : expired ? State.EXPIRED : State.STORED;
        Cookie received = new Cookie(cookie, url, hostOnly ? domain : "." + domain, path, prefixOk, state, rejection);
        if (rejection == null) {
            store(received);
        }
        cookies.add(received);
    }

    private void store(Cookie cookie) {
        SetCookie header = cookie.header();
        Key key = new Key(header.name(), cookie.domain(), cookie.path(), header.partitioned());
        Integer earlier = stored.remove(key);
        if (earlier != null) {
            cookies.set(earlier, cookies.get(earlier).replaced());
        }
        if (cookie.state() == State.STORED) {
            stored.put(key, cookies.size());
        }
    }

    private @Nullable Rejection rejection(
            Target.Url url, SetCookie cookie, boolean hostOnly, String domain, String path, String header) {
        boolean controls = header.chars().anyMatch(c -> c < 0x20 && c != '\t' || c == 0x7f);
        boolean tabs = cookie.name().indexOf('\t') >= 0 || cookie.value().indexOf('\t') >= 0; // allowed by the draft
        if (controls || tabs || cookie.size() == 0) {
            return Rejection.MALFORMED;
        }
        if (cookie.size() > MAX_BYTES) {
            return Rejection.TOO_LARGE;
        }
        if (!hostOnly) {
            if (url.host().literal() != null || !isWithin(url.host().name(), domain)) {
                return Rejection.DOMAIN;
            }
            if (isSuffix(domain)) {
                return Rejection.PUBLIC_SUFFIX;
            }
        }
        if (cookie.secure() && !url.secure()) {
            return Rejection.NOT_HTTPS;
        }
        if (cookie.sameSite() == SetCookie.SameSite.NONE && !cookie.secure()) {
            return Rejection.SAME_SITE_NONE;
        }
        if (cookie.partitioned() && !cookie.secure()) {
            return Rejection.PARTITIONED;
        }
        return !url.secure() && overlaysSecure(cookie, domain, path) ? Rejection.SECURE_EXISTS : null;
    }

    /** Whether a stored cookie with the same name is Secure, which a response over HTTP cannot replace. */
    private boolean overlaysSecure(SetCookie cookie, String domain, String path) {
        return cookies.stream()
                .filter(other -> other.state() == State.STORED
                        && other.header().secure()
                        && other.header().name().equals(cookie.name())
                        && pathMatches(path, other.path()))
                .map(other -> other.hostOnly() ? other.domain() : other.domain().substring(1))
                .anyMatch(other -> isWithin(domain, other) || isWithin(other, domain));
    }

    private static boolean prefixOk(SetCookie cookie, boolean hostOnly) {
        String name = (cookie.name().isEmpty() ? cookie.value() : cookie.name()).toLowerCase(Locale.ROOT);
        boolean host = name.startsWith("__host-");
        boolean http = name.startsWith("__http-") || name.startsWith("__host-http-");
        if (!host && !http && !name.startsWith("__secure-")) {
            return true;
        }
        return !cookie.name().isEmpty()
                && cookie.secure()
                && (!http || cookie.httpOnly())
                && (!host || hostOnly && "/".equals(cookie.path()));
    }

    private static boolean isWithin(String host, String domain) {
        return host.equals(domain) || host.endsWith(domain) && host.charAt(host.length() - domain.length() - 1) == '.';
    }

    /** Whether the name is a public suffix; browsers also treat an unknown top-level domain as one. */
    private static boolean isSuffix(String name) {
        try {
            return name.indexOf('.') < 0 || InternetDomainName.from(name).isPublicSuffix();
        } catch (IllegalArgumentException notADomain) {
            return false;
        }
    }

    private static boolean pathMatches(String path, String prefix) {
        return path.equals(prefix)
                || path.startsWith(prefix) && (prefix.endsWith("/") || path.charAt(prefix.length()) == '/');
    }

    /** The directory of the URL (section 5.1.4). */
    private static String defaultPath(Target.Url url) {
        String path = url.pathAndQuery().split("\\?", 2)[0];
        int slash = path.lastIndexOf('/');
        return slash <= 0 ? "/" : path.substring(0, slash);
    }
}
