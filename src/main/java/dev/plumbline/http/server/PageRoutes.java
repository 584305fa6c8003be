package dev.plumbline.http.server;

import dev.plumbline.http.problem.ProblemResponder;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpMethod;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Registers the routes of HTML pages in addition to the API operations. */
public final class PageRoutes {
    private static final String PAGE = "plumbline.page";

    private final Router router;
    private final Map<String, Set<String>> methods = new TreeMap<>();

    PageRoutes(Router router) {
        this.router = router;
    }

    /** A set of pages. */
    public interface Pages {

        void mount(PageRoutes routes);
    }

    /**
     * Registers a page for GET and HEAD.
     *
     * @param path a Vert.x Web route path
     * @param name the label in metrics
     */
    public void get(String path, String name, Handler<RoutingContext> handler) {
        methods.computeIfAbsent(path, none -> new TreeSet<>()).addAll(Set.of("GET", "HEAD"));
        router.route(path).method(HttpMethod.GET).method(HttpMethod.HEAD).handler(ctx -> handle(ctx, name, handler));
    }

    /** Registers a form submission. The handler reads the body. */
    public void post(String path, String name, Handler<RoutingContext> handler) {
        methods.computeIfAbsent(path, none -> new TreeSet<>()).add("POST");
        router.post(path).handler(ctx -> handle(ctx, name, handler));
    }

    private static void handle(RoutingContext ctx, String name, Handler<RoutingContext> handler) {
        ctx.put(PAGE, true);
        ctx.put(HttpVerticle.OPERATION, name);
        handler.handle(ctx);
    }

    /** Registers 405 responses for other methods. Call after all pages are registered. */
    void refuseOthers(ProblemResponder problems) {
        methods.forEach((path, allowed) ->
                router.route(path).handler(ctx -> problems.methodNotAllowed(ctx, String.join(", ", allowed))));
    }

    /** Whether the client prefers an HTML page to a problem document. */
    public static boolean wantsPage(RoutingContext ctx) {
        String path = ctx.request().path();
        return path != null
                && !isApi(path)
                && (ctx.get(PAGE) != null || acceptsHtml(ctx.request().getHeader("Accept")));
    }

    private static boolean isApi(String path) {
        return path.startsWith("/api/") || path.equals("/openapi.json");
    }

    private static boolean acceptsHtml(@Nullable String accept) {
        return accept != null && accept.contains("text/html");
    }
}
