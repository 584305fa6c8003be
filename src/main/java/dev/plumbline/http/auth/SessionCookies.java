package dev.plumbline.http.auth;

import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The cookie that carries a session (RFC 6265). Scripts cannot read it, and other sites' requests
 * do not carry it but by a link. Where people come over TLS it is sent over TLS alone, and the
 * prefix of its name keeps neighbouring hosts from planting one (6265bis, 4.1.3.2).
 */
public final class SessionCookies {
    private static final String NAME = "plumbline";

    private final String name;
    private final String attributes;

    /**
     * @param publicUrl under which people reach the service
     */
    public SessionCookies(String publicUrl) {
        boolean tls = publicUrl.startsWith("https:");
        this.name = tls ? "__Host-" + NAME : NAME;
        this.attributes = "; Path=/; HttpOnly; SameSite=Lax" + (tls ? "; Secure" : "");
    }

    /** Whether a request carries any session at all. */
    public boolean isThere(HttpServerRequest request) {
        return !tokens(request).isEmpty();
    }

    /** What a request carries; null for nothing, or for several that differ: one is not ours. */
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
     * Has the client carry a token from now on.
     *
     * @param seconds for how long
     */
    void set(HttpServerResponse response, String token, long seconds) {
        response.putHeader("Set-Cookie", name + '=' + token + "; Max-Age=" + Math.max(1, seconds) + attributes);
    }

    /** Has the client carry nothing from now on. */
    void clear(HttpServerResponse response) {
        response.putHeader("Set-Cookie", name + "=; Max-Age=0" + attributes);
    }
}
