package dev.plumbline.http;

import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** The request identifier: the valid value of the X-Request-Id header, otherwise a random one. */
public final class RequestIdHandler {
    public static final String HEADER = "X-Request-Id";

    private static final String KEY = "plumbline.request-id";
    private static final int MAX_LENGTH = 64;

    private RequestIdHandler() {}

    /** Returns the identifier of a routed request. */
    public static String of(RoutingContext ctx) {
        String id = ctx.get(KEY);
        if (id == null) {
            id = of(ctx.request());
            ctx.put(KEY, id);
        }
        return id;
    }

    public static String of(HttpServerRequest request) {
        return of(request.headers().get(HEADER));
    }

    static String of(@Nullable String requested) {
        return requested != null && isValid(requested) ? requested : random();
    }

    static String random() {
        return HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong());
    }

    private static boolean isValid(@Nullable String id) {
        if (id == null || id.isEmpty() || id.length() > MAX_LENGTH) {
            return false;
        }
        for (int i = 0; i < id.length(); i++) {
            char c = id.charAt(i);
            boolean allowed = (c >= 'a' && c <= 'z')
                    || (c >= 'A' && c <= 'Z')
                    || (c >= '0' && c <= '9')
                    || c == '.'
                    || c == '_'
                    || c == '-';
            if (!allowed) {
                return false;
            }
        }
        return true;
    }
}
