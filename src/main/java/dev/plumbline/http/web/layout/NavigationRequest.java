package dev.plumbline.http.web.layout;

import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Whether somebody opened a page, so that a check may be run for it: not so where a browser fetches
 * it as a part of another page, shows it in a frame, or loads it in case somebody might open it
 * (Fetch Metadata; Sec-Purpose of the Fetch standard).
 */
public final class NavigationRequest {
    private static final Set<String> AHEAD = Set.of("prefetch", "prerender", "preview");

    private NavigationRequest() {}

    public static boolean isOne(HttpServerRequest request, boolean headOnly) {
        String mode = request.getHeader("Sec-Fetch-Mode");
        String destination = request.getHeader("Sec-Fetch-Dest");
        return !headOnly
                && request.method().equals(HttpMethod.GET)
                && (mode == null || mode.equals("navigate"))
                && (destination == null || destination.equals("document"))
                && !ahead(request.getHeader("Sec-Purpose"))
                && !ahead(request.getHeader("Purpose"))
                && !ahead(request.getHeader("X-Purpose"))
                && !ahead(request.getHeader("X-Moz"));
    }

    private static boolean ahead(@Nullable String purpose) {
        String lower = purpose == null ? "" : purpose.toLowerCase(Locale.ROOT);
        return AHEAD.stream().anyMatch(lower::contains);
    }
}
