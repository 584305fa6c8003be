package dev.plumbline.http.problem;

import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.RoutingContext;

/** Renders problems as HTML pages. */
public interface ProblemPage {

    /** Sends the page with the status and headers of the problem. */
    void show(RoutingContext ctx, Problem problem);

    /** Renders the page for a request that was not routed. */
    Sheet sheet(Problem problem, String requestId);

    /**
     * A rendered page.
     *
     * @param headers the headers, without those of the problem
     */
    record Sheet(MultiMap headers, Buffer body) {}
}
