package dev.plumbline.http.problem;

import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.RoutingContext;

/** Answers with a problem as people read one: a page that says what was wrong and what to do. */
public interface ProblemPage {

    /** Answers the request, with the problem's status and headers. */
    void show(RoutingContext ctx, Problem problem);

    /** The page by itself, for a request that is not routed. */
    Sheet sheet(Problem problem, String requestId);

    /**
     * A page to be sent.
     *
     * @param headers all but the problem's own
     */
    record Sheet(MultiMap headers, Buffer body) {}
}
