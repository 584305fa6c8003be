package dev.plumbline.http;

import io.vertx.ext.web.RoutingContext;

/** Answers with a problem as people read one: a page that says what was wrong and what to do. */
public interface ProblemPage {

  /** Answers the request, with the problem's status and headers. */
  void show(RoutingContext ctx, Problem problem);
}
