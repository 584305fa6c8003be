package dev.plumbline.http.server;

import dev.plumbline.http.body.RequestBodyReader;
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

/** Takes the pages, which stand beside the operations of the contract. */
public final class PageRoutes {
    private static final String PAGE = "plumbline.page";

    private final Router router;
    private final Map<String, Set<String>> methods = new TreeMap<>();

    PageRoutes(Router router) {
        this.router = router;
    }

    /** What has pages. */
    public interface Pages {

        void mount(PageRoutes routes);
    }

    /**
     * A page to read, also by HEAD.
     *
     * @param path as the router of Vert.x Web takes it
     * @param name for the metrics: few and fixed
     */
    public void get(String path, String name, Handler<RoutingContext> handler) {
        methods.computeIfAbsent(path, none -> new TreeSet<>()).addAll(Set.of("GET", "HEAD"));
        router.route(path).method(HttpMethod.GET).method(HttpMethod.HEAD).handler(ctx -> handle(ctx, name, handler));
    }

    /** A form that is sent; its body is still to be read. */
    public void post(String path, String name, Handler<RoutingContext> handler) {
        methods.computeIfAbsent(path, none -> new TreeSet<>()).add("POST");
        router.post(path).handler(ctx -> {
            RequestBodyReader.hold(ctx);
            handle(ctx, name, handler);
        });
    }

    private static void handle(RoutingContext ctx, String name, Handler<RoutingContext> handler) {
        ctx.put(PAGE, true);
        ctx.put(HttpVerticle.OPERATION, name);
        handler.handle(ctx);
    }

    /** After all pages: what a page does not know. */
    void refuseOthers(ProblemResponder problems) {
        methods.forEach((path, known) ->
                router.route(path).handler(ctx -> problems.methodNotAllowed(ctx, String.join(", ", known))));
    }

    /** Whether a request is better answered with a page than with a document for programs. */
    public static boolean wantsPage(RoutingContext ctx) {
        String path = ctx.request().path();
        return path != null
                && !forPrograms(path)
                && (ctx.get(PAGE) != null || asksForPage(ctx.request().getHeader("Accept")));
    }

    /** As {@link #wantsPage(RoutingContext)}, of a request that is not routed. */
    public static boolean wantsPage(String path, @Nullable String accept) {
        return !forPrograms(path) && asksForPage(accept);
    }

    private static boolean forPrograms(String path) {
        return path.startsWith("/api/") || path.equals("/openapi.json");
    }

    private static boolean asksForPage(@Nullable String accept) {
        return accept != null && accept.contains("text/html");
    }
}
