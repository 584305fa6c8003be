package dev.plumbline.http.web.layout;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;

/**
 * The headers of every page: nothing but our own files is loaded, nothing inline is run, nobody
 * frames us, nobody keeps what was made for one reader.
 */
final class PageHeaders {
    private static final String POLICY =
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
                    + " connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
    private static final String FEATURES =
            "accelerometer=(), camera=(), geolocation=(), gyroscope=(), magnetometer=(), microphone=(),"
                    + " midi=(), payment=(), usb=()";

    private final MultiMap all = HttpHeaders.headers();

    /**
     * @param secure whether people come over TLS
     */
    PageHeaders(boolean secure) {
        all.add("Content-Type", "text/html; charset=utf-8")
                .add("Cache-Control", "private, no-cache")
                .add("Vary", "Accept-Encoding, Cookie")
                .add("Content-Security-Policy", POLICY)
                .add("X-Content-Type-Options", "nosniff")
                .add("X-Frame-Options", "DENY")
                .add("Referrer-Policy", "strict-origin-when-cross-origin")
                .add("Permissions-Policy", FEATURES)
                .add("Cross-Origin-Opener-Policy", "same-origin")
                .add("Cross-Origin-Embedder-Policy", "require-corp")
                .add("Cross-Origin-Resource-Policy", "same-origin");
        if (secure) {
            all.add("Strict-Transport-Security", "max-age=31536000");
        }
    }

    void write(HttpServerResponse response, int status) {
        all.forEach((name, value) -> response.putHeader(name, value));
        if (status >= 400) {
            response.putHeader("Cache-Control", "no-store");
        }
    }
}
