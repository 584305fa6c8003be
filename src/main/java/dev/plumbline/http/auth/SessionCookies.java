package dev.plumbline.http.auth;

import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The session cookie (RFC 6265): HttpOnly and SameSite=Lax. With TLS, it is also Secure and has the prefix
 * {@code __Host-}, so that other hosts of the domain cannot set it (RFC 6265bis, 4.1.3.2).
 */
public final class SessionCookies {
    private static final String NAME = "plumbline";

    private final String name;
    private final String attributes;

    /** @param publicUrl the public base URL of the service */
    public SessionCookies(String publicUrl) {
        boolean tls = publicUrl.startsWith("https:");
        this.name = tls ? "__Host-" + NAME : NAME;
        this.attributes = "; Path=/; HttpOnly; SameSite=Lax" + (tls ? "; Secure" : "");
    }

    public boolean isPresent(HttpServerRequest request) {
        return !tokens(request).isEmpty();
    }

    /** Returns the session token; null if there is none or if there are several different ones. */
    @Nullable
    String token(HttpServerRequest request) {
        Set<String> tokens = tokens(request);
        return tokens.size() == 1 ? tokens.iterator().next() : null;
    }

    private Set<String> tokens(HttpServerRequest request) {
        Set<String> tokens = new LinkedHashSet<>();
        for (String header : request.headers().getAll("Cookie")) {
            for (String pair : header.split(";", -1)) {
                int equals = pair.indexOf('=');
                if (equals > 0 && pair.substring(0, equals).strip().equals(name)) {
                    tokens.add(pair.substring(equals + 1).strip());
                }
            }
        }
        return tokens;
    }

    /**
     * Sets the cookie.
     *
     * @param seconds the lifetime, in seconds
     */
    void set(HttpServerResponse response, String token, long seconds) {
        response.putHeader("Set-Cookie", name + '=' + token + "; Max-Age=" + Math.max(1, seconds) + attributes);
    }

    void clear(HttpServerResponse response) {
        response.putHeader("Set-Cookie", name + "=; Max-Age=0" + attributes);
    }
}
