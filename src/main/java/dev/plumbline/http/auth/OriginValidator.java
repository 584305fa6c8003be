package dev.plumbline.http.auth;

import dev.plumbline.http.problem.Problem;
import io.vertx.core.http.HttpServerRequest;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Rejects cross-site request forgery (CSRF). Compares the headers {@code Origin} (RFC 6454), {@code
 * Sec-Fetch-Site} (Fetch Metadata) and, in older browsers, {@code Referer} with the origin of the
 * service.
 */
public final class OriginValidator {
    private static final String SITE = "Sec-Fetch-Site";

    private final String own;

    /**
     * @param publicUrl the public base URL of the service
     */
    public OriginValidator(String publicUrl) {
        String origin = origin(publicUrl);
        if (origin == null) {
            throw new IllegalArgumentException("not a URL: " + publicUrl);
        }
        this.own = origin;
    }

    /**
     * Returns why a request that changes data is rejected; null if it is allowed.
     *
     * @param cookie whether the request has a session cookie; it must then identify its origin
     */
    @Nullable
    Problem refusal(HttpServerRequest request, boolean cookie) {
        List<String> sites = request.headers().getAll(SITE);
        for (String site : sites) {
            if (!site.equals("same-origin") && !site.equals("none")) {
                return foreign();
            }
        }
        List<String> origins = request.headers().getAll("Origin");
        for (String origin : origins) {
            if (!own.equals(origin(origin))) {
                return foreign();
            }
        }
        String referer = request.getHeader("Referer");
        if (origins.isEmpty() && referer != null && !own.equals(origin(referer))) {
            return foreign();
        }
        return cookie && sites.isEmpty() && origins.isEmpty() && referer == null ? unknown() : null;
    }

    private Problem foreign() {
        return Problem.of(
                403,
                "cross-origin",
                "Cross-origin request",
                "The request must come from a page of "
                        + own
                        + ". If it does, the operator must set `http.public_url` to the URL of the page.");
    }

    private Problem unknown() {
        return Problem.of(
                403,
                "cross-origin",
                "Cross-origin request",
                "The request has a session cookie but does not identify its origin. Send Origin: "
                        + own
                        + ", or use an API key.");
    }

    /** Returns scheme, host and port in the form used by browsers; null if the URL has no origin. */
    private static @Nullable String origin(String url) {
        try {
            URI uri = new URI(url);
            if (uri.getScheme() == null || uri.getHost() == null || uri.getRawUserInfo() != null) {
                return null;
            }
            String scheme = uri.getScheme().toLowerCase(Locale.ROOT);
            boolean defaultPort = uri.getPort() < 0
                    || (scheme.equals("http") && uri.getPort() == 80)
                    || (scheme.equals("https") && uri.getPort() == 443);
            return scheme + "://" + uri.getHost().toLowerCase(Locale.ROOT) + (defaultPort ? "" : ":" + uri.getPort());
        } catch (URISyntaxException none) {
            return null;
        }
    }
}
