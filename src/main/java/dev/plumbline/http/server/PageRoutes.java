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

/** Registers the routes of HTML pages, and of operations that are not in openapi.json. */
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
        add(path, name, handler, HttpMethod.GET, HttpMethod.HEAD);
    }

    /** Registers a form submission. The handler reads the body. */
    public void post(String path, String name, Handler<RoutingContext> handler) {
        add(path, name, handler, HttpMethod.POST);
    }

    /** Registers an operation for POST that is not in openapi.json, because it has another contract. */
    public void postMessage(String path, String name, Handler<RoutingContext> handler) {
        route(path, name, handler, HttpMethod.POST);
    }

    private void add(String path, String name, Handler<RoutingContext> handler, HttpMethod... allowed) {
        route(
                path,
                name,
                ctx -> {
                    ProblemResponder.markAsPage(ctx);
                    handler.handle(ctx);
                },
                allowed);
    }

    private void route(String path, String name, Handler<RoutingContext> handler, HttpMethod... allowed) {
        // in the notation of openapi.json
        String template = path.replaceAll(":(\\w+)", "{$1}");
        for (HttpMethod method : allowed) {
            methods.computeIfAbsent(path, key -> new TreeSet<>()).add(method.name());
            router.route(method, path).handler(ctx -> {
                HttpVerticle.setRoute(ctx, name, template);
                handler.handle(ctx);
            });
        }
    }

    /** Registers the responses to other methods. Call after all pages are registered. */
    void mountOtherMethods(ProblemResponder problems) {
        methods.forEach((path, allowed) ->
                router.route(path).handler(ctx -> problems.otherMethod(ctx, String.join(", ", allowed))));
    }
}
