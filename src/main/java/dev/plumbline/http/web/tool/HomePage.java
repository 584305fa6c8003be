package dev.plumbline.http.web.tool;

import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.http.server.PageRoutes;
import dev.plumbline.http.web.layout.PageDependencies;
import dev.plumbline.http.web.layout.PageInfo;
import dev.plumbline.http.web.layout.PageRenderer;
import io.vertx.ext.web.RoutingContext;

/** {@code /}: the home page. {@code /suggestions}: the tools for an input, which a script loads during typing. */
public final class HomePage implements PageRoutes.Pages {
    private static final int MAX_INPUT_LENGTH = 2048;

    private final PageRenderer pages;
    private final ModuleCatalogue modules;

    public HomePage(PageDependencies dependencies) {
        this.pages = dependencies.pages();
        this.modules = dependencies.modules();
    }

    @Override
    public void mount(PageRoutes routes) {
        routes.get("/", "home", this::home);
        routes.get(
                "/suggestions",
                "suggestions",
                ctx -> pages.show(ctx, PageInfo.unlisted("Suggestions", "", "check"), "suggestions", suggestions(ctx)));
    }

    /** The data of the home page. */
    public record Home(ToolSuggestions suggestions, ToolList tools) {}

    private void home(RoutingContext ctx) {
        PageInfo page = PageInfo.indexed(
                "",
                "Check domains, URLs, servers and e-mail addresses. Get a verdict, findings and recommended changes.",
                "check",
                "/");
        pages.show(ctx, page, "home", new Home(suggestions(ctx), ToolList.matching(modules.descriptions(), "")));
    }

    private ToolSuggestions suggestions(RoutingContext ctx) {
        String input = ctx.queryParams().get("target");
        return ToolSuggestions.of(
                modules.descriptions(),
                input == null || input.length() > MAX_INPUT_LENGTH ? "" : input,
                ctx.queryParams().get("tool"));
    }
}
