package dev.plumbline.http.auth;

import dev.plumbline.http.problem.Problem;
import io.vertx.core.http.HttpServerRequest;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Tells requests of our own pages from those that a page elsewhere has a browser send, cookie and
 * all (CSRF). Browsers say where a request that changes something comes from: {@code Origin} (RFC
 * 6454) and {@code Sec-Fetch-Site} (Fetch Metadata); older ones in {@code Referer}. Whatever they
 * say must be our own origin.
 */
public final class OriginValidator {
    private static final String SITE = "Sec-Fetch-Site";

    private final String own;

    /**
     * @param publicUrl under which people reach the service
     */
    public OriginValidator(String publicUrl) {
        String origin = origin(publicUrl);
        if (origin == null) {
            throw new IllegalArgumentException("no URL: " + publicUrl);
        }
        this.own = origin;
    }

    /**
     * Why a request that changes something is refused; null: it is not.
     *
     * @param cookie whether it carries a session: then it has to say where it comes from
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
                "The request comes from elsewhere",
                "Only pages of "
                        + own
                        + " may ask for this. If you see it there, http.public_url is not the address that"
                        + " you have opened.");
    }

    private Problem unknown() {
        return Problem.of(
                403,
                "cross-origin",
                "The request comes from elsewhere",
                "With a session cookie, say where the request comes from: Origin: "
                        + own
                        + ". Programs do better with an API key.");
    }

    /** Scheme, host and port as browsers write them; null for what has none. */
    private static @Nullable String origin(String url) {
        try {
            URI uri = new URI(url);
            if (uri.getScheme() == null || uri.getHost() == null || uri.getRawUserInfo() != null) {
                return null;
            }
            String scheme = uri.getScheme().toLowerCase(Locale.ROOT);
            boolean usual = uri.getPort() < 0
                    || (scheme.equals("http") && uri.getPort() == 80)
                    || (scheme.equals("https") && uri.getPort() == 443);
            return scheme + "://" + uri.getHost().toLowerCase(Locale.ROOT) + (usual ? "" : ":" + uri.getPort());
        } catch (URISyntaxException none) {
            return null;
        }
    }
}
