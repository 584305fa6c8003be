package dev.plumbline.http.web.tool;

import dev.plumbline.check.FindingCode;
import dev.plumbline.check.Level;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.check.ModuleDescription;
import dev.plumbline.http.server.PageRoutes;
import dev.plumbline.http.web.WebRoutes;
import dev.plumbline.http.web.layout.InputTypeLabels;
import dev.plumbline.http.web.layout.Links;
import dev.plumbline.http.web.layout.PageInfo;
import dev.plumbline.http.web.layout.PageRenderer;
import io.vertx.ext.web.RoutingContext;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** {@code /tools}, where tools are searched for, and {@code /tools/{module}}, all about one. */
public final class ToolPages implements PageRoutes.Pages {
    private static final int LONGEST_QUERY = 200;

    private final PageRenderer pages;
    private final ModuleCatalogue modules;
    private final ToolPathParameter ofPath;

    public ToolPages(WebRoutes.Dependencies needs) {
        this.pages = needs.pages();
        this.modules = needs.modules();
        this.ofPath = new ToolPathParameter(modules, needs.problems());
    }

    @Override
    public void mount(PageRoutes routes) {
        routes.get("/tools", "tools", this::list);
        routes.get("/tools/:module", "tool", this::tool);
    }

    private void list(RoutingContext ctx) {
        String query = ctx.queryParams().contains("q") ? ctx.queryParams().get("q") : "";
        String asked = query.length() > LONGEST_QUERY ? query.substring(0, LONGEST_QUERY) : query;
        PageInfo page = PageInfo.open(
                "Tools", "All checks: what each of them looks at, and what it says of a target.", "tools", "/tools");
        pages.show(ctx, page, "tools", ToolList.matching(modules.descriptions(), asked));
    }

    /**
     * All about one tool.
     *
     * @param kind what its targets are
     * @param report where a report on its example is
     * @param curl a line for a terminal
     */
    public record Tool(
            ModuleDescription module, CheckForm form, String kind, String category, String report, String curl) {

        /** What it can find, the gravest first. */
        public List<FindingCode> findings() {
            return module.findings().stream()
                    .sorted(Comparator.comparing(FindingCode::level, Level.MOST_SEVERE_FIRST))
                    .toList();
        }
    }

    private void tool(RoutingContext ctx) {
        ModuleDescription module = ofPath.find(ctx);
        if (module == null) {
            return;
        }
        String example = module.example();
        pages.show(
                ctx,
                PageInfo.open(module.title(), module.summary(), "tools", "/tools/" + module.module()),
                "tooldetail",
                new Tool(
                        module,
                        CheckForm.of(module, "", Map.of()),
                        InputTypeLabels.name(module.input()),
                        InputTypeLabels.category(module.category()),
                        Links.report(module.module(), example, Map.of()),
                        "curl '" + pages.site().publicUrl() + Links.instant(module.module(), example, Map.of()) + "'"));
    }
}
