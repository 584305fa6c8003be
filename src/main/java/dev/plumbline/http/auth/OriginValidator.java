package dev.plumbline.http.auth;

import dev.plumbline.http.problem.Problem;
import io.vertx.core.http.HttpServerRequest;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Rejects cross-site request forgery (CSRF). Compares the headers {@code Origin} (RFC 6454), {@code Sec-Fetch-Site}
 * (Fetch Metadata) and, in older browsers, {@code Referer} with the origin of the service. A token in each form is not
 * needed. {@code SameSite} cookies alone permit requests from pages of sibling hosts.
 */
public final class OriginValidator {
    private static final String SEC_FETCH_SITE = "Sec-Fetch-Site";
    private static final String CROSS_ORIGIN =
            "The request must come from a page of %s. If it does, the operator must set"
                    + " `http.public_url` to the URL that users open.";
    private static final String MISSING_ORIGIN =
            "The request has a session cookie but does not identify its origin. Send"
                    + " Origin: %s, or use an API key.";

    private final String serviceOrigin;

    /** @param publicUrl the public base URL of the service */
    public OriginValidator(String publicUrl) {
        String origin = origin(publicUrl);
        if (origin == null) {
            throw new IllegalArgumentException("not a URL: " + publicUrl);
        }
        this.serviceOrigin = origin;
    }

    /**
     * Returns why a request that changes data is rejected; null if it is allowed.
     *
     * @param hasCookie whether the request has a session cookie; it must then identify its origin
     */
    public @Nullable Problem rejection(HttpServerRequest request, boolean hasCookie) {
        List<String> sites = request.headers().getAll(SEC_FETCH_SITE);
        for (String site : sites) {
            if (!site.equals("same-origin") && !site.equals("none")) {
                return rejection(CROSS_ORIGIN);
            }
        }
        List<String> origins = request.headers().getAll("Origin");
        for (String origin : origins) {
            if (!serviceOrigin.equals(origin(origin))) {
                return rejection(CROSS_ORIGIN);
            }
        }
        String referer = request.getHeader("Referer");
        if (origins.isEmpty() && referer != null && !serviceOrigin.equals(origin(referer))) {
            return rejection(CROSS_ORIGIN);
        }
        return hasCookie && sites.isEmpty() && origins.isEmpty() && referer == null ? rejection(MISSING_ORIGIN) : null;
    }

    private Problem rejection(String detail) {
        return Problem.of(403, "cross-origin", "Cross-origin request", detail.formatted(serviceOrigin));
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
        } catch (URISyntaxException invalid) {
            return null;
        }
    }
}
