package dev.plumbline.http;

import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;

/** The request identifier: the valid value of the X-Request-Id header, otherwise a random one. */
public final class RequestId {
    public static final String HEADER = "X-Request-Id";

    private static final String KEY = "plumbline.request-id";
    private static final Pattern VALID = Pattern.compile("[a-zA-Z0-9._-]{1,64}");

    private RequestId() {}

    public static String of(RoutingContext ctx) {
        String id = ctx.get(KEY);
        if (id == null) {
            id = of(ctx.request());
            ctx.put(KEY, id);
        }
        return id;
    }

    public static String of(HttpServerRequest request) {
        String requested = request.headers().get(HEADER);
        return requested != null && VALID.matcher(requested).matches()
                ? requested
                : HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong());
    }
}
