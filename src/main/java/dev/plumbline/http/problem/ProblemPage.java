package dev.plumbline.http.problem;

import io.vertx.ext.web.RoutingContext;

/** Sends a problem as an HTML page. */
public interface ProblemPage {

    /** Sends the page with the problem's status and headers. */
    void show(RoutingContext ctx, Problem problem);
}
