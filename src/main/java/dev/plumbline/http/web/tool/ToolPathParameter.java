package dev.plumbline.http.web.tool;

import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.ModuleDescription;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.ProblemResponder;
import io.vertx.ext.web.RoutingContext;
import org.jspecify.annotations.Nullable;

/** The tool that the path of a page names. */
public final class ToolPathParameter {
    private final ModuleCatalogue modules;
    private final ProblemResponder problems;

    public ToolPathParameter(ModuleCatalogue modules, ProblemResponder problems) {
        this.modules = modules;
        this.problems = problems;
    }

    /** Null when there is none, which the request has been answered then. */
    public @Nullable ModuleDescription find(RoutingContext ctx) {
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
