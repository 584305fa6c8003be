package dev.plumbline.http.web.tool;

import com.google.common.base.Strings;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.ProblemResponder;
import dev.plumbline.http.server.PageRoutes;
import dev.plumbline.http.web.layout.Labels;
import dev.plumbline.http.web.layout.Links;
import dev.plumbline.http.web.layout.PageInfo;
import dev.plumbline.http.web.layout.PageRenderer;
import dev.plumbline.result.Level;
import dev.plumbline.sheet.FindingCode;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.target.PrintableText;
import io.vertx.ext.web.RoutingContext;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code /tools}: the list of tools with a search. {@code /tools/{module}}: the documentation of a tool. */
public final class ToolPages implements PageRoutes.Pages {
    private static final int MAX_QUERY_LENGTH = 200;

    private final PageRenderer pages;
    private final ModuleCatalogue modules;
    private final ProblemResponder problems;

    public ToolPages(PageRenderer pages, ProblemResponder problems, ModuleCatalogue modules) {
        this.pages = pages;
        this.modules = modules;
        this.problems = problems;
    }

    @Override
    public void mount(PageRoutes routes) {
        routes.get("/tools", "tools", this::list);
        routes.get("/tools/:module", "tool", this::tool);
    }

    private void list(RoutingContext ctx) {
        String query = PrintableText.cut(Strings.nullToEmpty(ctx.queryParams().get("q")), MAX_QUERY_LENGTH);
        PageInfo page =
                PageInfo.indexed("Tools", "Checks for websites, TLS, DNS, e-mail and networks.", "tools", "/tools");
        pages.show(ctx, page, "tools", ToolList.matching(modules.descriptions(), query));
    }

    /**
     * The documentation of a tool.
     *
     * @param input the label of the input type
     * @param report the path of the report on the example
     * @param curl the command for the same check
     */
    public record Tool(
            ModuleDescription module, CheckForm form, String input, String category, String report, String curl) {

        /** The most severe first. */
        public List<FindingCode> findings() {
            return module.findings().stream()
                    .sorted(Comparator.comparing(FindingCode::level, Level.MOST_SEVERE_FIRST))
                    .toList();
        }
    }

    private void tool(RoutingContext ctx) {
        ModuleDescription module = find(ctx, modules, problems);
        if (module == null) {
            return;
        }
        String example = module.example();
        pages.show(
                ctx,
                PageInfo.indexed(module.title(), module.summary(), "tools", "/tools/" + module.module()),
                "tool",
                new Tool(
                        module,
                        CheckForm.of(module, "", Map.of()),
                        Labels.inputType(module.input()),
                        Labels.category(module.category()),
                        Links.report(module.module(), example, Map.of()),
                        "curl '" + pages.site().publicUrl() + Links.instant(module.module(), example, Map.of()) + "'"));
    }

    /** The module that the path names; null if it does not exist, after sending a 404. */
    public static @Nullable ModuleDescription find(
            RoutingContext ctx, ModuleCatalogue modules, ProblemResponder problems) {
        String name = ctx.pathParam("module");
        ModuleDefinition<?> module = modules.find(name);
        if (module == null) {
            problems.send(ctx, notFound(name));
            return null;
        }
        return module.description();
    }

    static Problem notFound(String name) {
        String detail = "The tool '" + name + "' does not exist. The tools page lists all tools.";
        return Problem.of(404, "unknown-module", "Tool not found", detail);
    }
}
