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

/** Registers the routes of HTML pages in addition to the API operations. */
public final class PageRoutes {
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
        methods.computeIfAbsent(path, key -> new TreeSet<>()).addAll(Set.of("GET", "HEAD"));
        String route = template(path);
        router.route(path)
                .method(HttpMethod.GET)
                .method(HttpMethod.HEAD)
                .handler(ctx -> handle(ctx, name, route, handler));
    }

    /** Registers a form submission. The handler reads the body. */
    public void post(String path, String name, Handler<RoutingContext> handler) {
        methods.computeIfAbsent(path, key -> new TreeSet<>()).add("POST");
        String route = template(path);
        router.post(path).handler(ctx -> handle(ctx, name, route, handler));
    }

    /** The path in the notation of openapi.json. */
    private static String template(String path) {
        return path.replaceAll(":(\\w+)", "{$1}");
    }

    private static void handle(RoutingContext ctx, String name, String route, Handler<RoutingContext> handler) {
        ProblemResponder.markAsPage(ctx);
        ctx.put(HttpVerticle.OPERATION, name).put(HttpVerticle.ROUTE, route);
        handler.handle(ctx);
    }

    /** Registers the responses to other methods. Call after all pages are registered. */
    void mountOtherMethods(ProblemResponder problems) {
        methods.forEach((path, allowed) ->
                router.route(path).handler(ctx -> problems.otherMethod(ctx, String.join(", ", allowed))));
    }
}
