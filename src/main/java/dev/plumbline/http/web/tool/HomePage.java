package dev.plumbline.http.web.tool;

import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.http.server.PageRoutes;
import dev.plumbline.http.web.WebRoutes;
import dev.plumbline.http.web.layout.PageInfo;
import dev.plumbline.http.web.layout.PageRenderer;
import io.vertx.ext.web.RoutingContext;
import org.jspecify.annotations.Nullable;

/**
 * {@code /}: what to check, and with which tool; and {@code /offers}, the part of it that changes
 * as somebody types.
 */
public final class HomePage implements PageRoutes.Pages {
    private static final int LONGEST = 2048;

    private final PageRenderer pages;
    private final ModuleCatalogue modules;

    public HomePage(WebRoutes.Dependencies needs) {
        this.pages = needs.pages();
        this.modules = needs.modules();
    }

    @Override
    public void mount(PageRoutes routes) {
        routes.get("/", "home", this::home);
        routes.get(
                "/offers",
                "offers",
                ctx -> pages.show(ctx, PageInfo.unlisted("Offers", "", "check"), "toolsuggestions", offers(ctx)));
    }

    /** What was typed, and all tools for whoever has typed nothing yet. */
    public record Home(ToolSuggestions offers, ToolList tools) {}

    private void home(RoutingContext ctx) {
        PageInfo page = PageInfo.open(
                "",
                "Checks domains, URLs, servers and addresses: one verdict, what was found, and what to"
                        + " do about it.",
                "check",
                "/");
        pages.show(ctx, page, "home", new Home(offers(ctx), ToolList.matching(modules.descriptions(), "")));
    }

    private ToolSuggestions offers(RoutingContext ctx) {
        String typed = parameter(ctx, "target");
        return ToolSuggestions.of(
                modules.descriptions(), typed == null || typed.length() > LONGEST ? "" : typed, parameter(ctx, "tool"));
    }

    private static @Nullable String parameter(RoutingContext ctx, String name) {
        return ctx.queryParams().get(name);
    }
}
