package dev.plumbline.http.web.layout;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;

/**
 * The headers of every page. They allow only assets of this service and no inline scripts, and forbid framing and
 * shared caching.
 */
final class PageHeaders {
    private static final String CONTENT_SECURITY_POLICY =
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
                    + " connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
    private static final String PERMISSIONS_POLICY =
            "accelerometer=(), camera=(), geolocation=(), gyroscope=(), magnetometer=(), microphone=(),"
                    + " midi=(), payment=(), usb=()";

    private PageHeaders() {}

    /** @param secure whether the public URL is https */
    static MultiMap of(boolean secure) {
        MultiMap headers = HttpHeaders.headers()
                .add("Content-Type", "text/html; charset=utf-8")
                .add("Cache-Control", "private, no-cache")
                .add("Vary", "Accept-Encoding, Cookie")
                .add("Content-Security-Policy", CONTENT_SECURITY_POLICY)
                .add("X-Content-Type-Options", "nosniff")
                .add("X-Frame-Options", "DENY")
                .add("Referrer-Policy", "strict-origin-when-cross-origin")
                .add("Permissions-Policy", PERMISSIONS_POLICY)
                .add("Cross-Origin-Opener-Policy", "same-origin")
                .add("Cross-Origin-Embedder-Policy", "require-corp")
                .add("Cross-Origin-Resource-Policy", "same-origin");
        return secure ? headers.add("Strict-Transport-Security", "max-age=31536000") : headers;
    }
}
