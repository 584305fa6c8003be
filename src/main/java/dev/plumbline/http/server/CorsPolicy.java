package dev.plumbline.http.server;

import dev.plumbline.http.RequestId;
import dev.plumbline.http.ResponseBodies;
import dev.plumbline.http.ServiceLinks;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Cross-origin resource sharing (Fetch standard). Scripts of any origin can read the tools list and openapi.json, and
 * scripts of the configured origins can use instant checks and jobs. Cookies are not accepted there, so no response
 * allows credentials.
 */
final class CorsPolicy {
    private static final String ANY = "*";
    private static final String EXPOSED =
            "ETag, Link, Location, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id";
    private static final String ALLOWED_HEADERS =
            "Accept, Authorization, Content-Type, Delete-Token, Idempotency-Key, If-None-Match,"
                    + " Prefer, X-Api-Key, X-Request-Id";

    /** How long a browser can cache the response to a preflight request. */
    private static final String MAX_AGE_SECONDS = "600";

    private final Set<String> origins;
    private final boolean any;

    /** @param origins serialized origins, or {@code *} */
    CorsPolicy(List<String> origins) {
        this.origins = Set.copyOf(origins);
        this.any = this.origins.contains(ANY);
    }

    /** Adds the headers that permit a script of an allowed origin to read the response. */
    void addHeaders(HttpServerRequest request) {
        if (origins.isEmpty() || !isShared(request.uri())) {
            return;
        }
        HttpServerResponse response = request.response();
        if (!any) {
            ResponseBodies.addVary(response, "Origin");
        }
        String allowed = allowedOrigin(request);
        if (allowed != null) {
            response.putHeader(HttpHeaders.ACCESS_CONTROL_ALLOW_ORIGIN, allowed)
                    .putHeader(HttpHeaders.ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
        }
    }

    private @Nullable String allowedOrigin(HttpServerRequest request) {
        String origin = request.headers().get(HttpHeaders.ORIGIN);
        return origin == null ? null : any ? ANY : origins.contains(origin) ? origin : null;
    }

    /**
     * Responds to a preflight request of an allowed origin.
     *
     * @return false if it is another request; the response is not used then
     */
    boolean handlePreflight(HttpServerRequest request) {
        if (!request.method().equals(HttpMethod.OPTIONS)
                || !request.headers().contains(HttpHeaders.ACCESS_CONTROL_REQUEST_METHOD)) {
            return false;
        }
        boolean document = isDocument(request.uri());
        String allowed = document ? ANY : isShared(request.uri()) ? allowedOrigin(request) : null;
        if (allowed == null) {
            return false;
        }
        request.response()
                .setStatusCode(204)
                .putHeader(HttpHeaders.ACCESS_CONTROL_ALLOW_ORIGIN, allowed)
                .putHeader(HttpHeaders.ACCESS_CONTROL_ALLOW_METHODS, document ? "GET, HEAD" : "GET, HEAD, POST, DELETE")
                .putHeader(HttpHeaders.ACCESS_CONTROL_ALLOW_HEADERS, ALLOWED_HEADERS)
                .putHeader(HttpHeaders.ACCESS_CONTROL_MAX_AGE, MAX_AGE_SECONDS)
                .putHeader(RequestId.HEADER, RequestId.of(request))
                .end();
        return true;
    }

    private static boolean isShared(String uri) {
        return uri.startsWith("/api/v1/instant/")
                || isBelow(uri, "/api/v1/jobs")
                || isBelow(uri, "/api/v1/results")
                || isBelow(uri, "/api/v1/limits");
    }

    private static boolean isDocument(String uri) {
        return isBelow(uri, "/api/v1/tools")
                || isBelow(uri, "/api/v1/openapi.json")
                || isBelow(uri, ServiceLinks.DESCRIPTION)
                || isBelow(uri, ServiceLinks.CATALOG)
                || isBelow(uri, ServiceLinks.LLMS_TEXT);
    }

    private static boolean isBelow(String uri, String path) {
        return uri.startsWith(path) && (uri.length() == path.length() || "/?".indexOf(uri.charAt(path.length())) >= 0);
    }
}
