package dev.plumbline.http.web;

import dev.plumbline.check.Description;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.http.Problem;
import dev.plumbline.http.Problems;
import io.vertx.ext.web.RoutingContext;
import org.jspecify.annotations.Nullable;

/** The tool that the path of a page names. */
final class ToolOfPath {
  private final ModuleCatalogue modules;
  private final Problems problems;

  ToolOfPath(ModuleCatalogue modules, Problems problems) {
    this.modules = modules;
    this.problems = problems;
  }

  /** Null when there is none, which the request has been answered then. */
  @Nullable Description find(RoutingContext ctx) {
    String name = ctx.pathParam("module");
    ModuleDefinition<?> module = modules.find(name);
    if (module == null) {
      problems.send(
          ctx,
          Problem.of(
              404,
              "unknown-module",
              "There is no such tool",
              "No tool is called '" + name + "'; the list has them all."));
      return null;
    }
    return module.description();
  }
}
