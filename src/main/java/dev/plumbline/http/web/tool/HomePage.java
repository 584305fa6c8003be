package dev.plumbline.http.web.tool;

import com.google.common.base.Strings;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.http.RawTarget;
import dev.plumbline.http.ServiceLinks;
import dev.plumbline.http.problem.ProblemResponder;
import dev.plumbline.http.server.PageRoutes;
import dev.plumbline.http.web.layout.DisplayedLimits;
import dev.plumbline.http.web.layout.Labels;
import dev.plumbline.http.web.layout.Links;
import dev.plumbline.http.web.layout.PageInfo;
import dev.plumbline.http.web.layout.PageRenderer;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.target.InputType;
import dev.plumbline.target.InvalidTargetException;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * {@code /}: the home page. {@code /check?target=…&tool=…} redirects its form to the report of the selected tool, or of
 * the default tool for the type of the target. {@code /check/{module}?target=…} redirects the form of a tool, and
 * {@code /check/{target}} a target to the report of its default tool.
 */
public final class HomePage implements PageRoutes.Pages {
    private static final String DESCRIPTION =
            "Plumbline checks domains, URLs, servers and e-mail addresses: HTTP, TLS, DNS, e-mail and domain"
                    + " registration.";

    private final PageRenderer pages;
    private final ModuleCatalogue modules;
    private final ProblemResponder problems;
    private final ToolMatcher matcher;
    private final int freshChecks;

    public HomePage(PageRenderer pages, ProblemResponder problems, ModuleCatalogue modules, DisplayedLimits limits) {
        this.pages = pages;
        this.modules = modules;
        this.problems = problems;
        this.matcher = new ToolMatcher(modules);
        this.freshChecks = limits.fresh();
    }

    @Override
    public void mount(PageRoutes routes) {
        routes.get("/", "home", ctx -> {
            ctx.response().putHeader("Link", ServiceLinks.header(pages.site().publicUrl()));
            pages.show(ctx, PageInfo.indexed("", DESCRIPTION, "check", "/"), "home", view("", null, null));
        });
        routes.get("/check", "check", this::check);
        routes.get("/check/:input", "form", this::open);
    }

    /**
     * The data of the home page.
     *
     * @param target the content of the target field
     * @param selected the selected tool, or null
     * @param error why the target was rejected, or null
     * @param curl an example request
     * @param freshChecks the quota of fresh checks of an IP address in 60 minutes; 0 for no limit
     */
    public record Home(
            ToolList tools,
            String target,
            @Nullable ModuleDescription selected,
            @Nullable String error,
            List<AcceptedInput> accepted,
            String curl,
            int freshChecks) {}

    /**
     * A type of input that the form accepts.
     *
     * @param tool the title of the default tool
     */
    public record AcceptedInput(String type, String example, String tool) {}

    private Home view(String target, @Nullable ModuleDescription selected, @Nullable String error) {
        List<AcceptedInput> accepted = Stream.of(
                        InputType.DOMAIN, InputType.URL, InputType.HOST_PORT, InputType.IP, InputType.EMAIL)
                .flatMap(type -> Stream.ofNullable(modules.defaultFor(type))
                        .map(tool -> new AcceptedInput(Labels.inputType(type), example(type), tool.title())))
                .toList();
        String curl = "curl " + pages.site().publicUrl() + "/api/v1/instant/ssl-certificate/example.com";
        return new Home(
                ToolList.matching(modules.descriptions(), ""), target, selected, error, accepted, curl, freshChecks);
    }

    private static String example(InputType type) {
        return switch (type) {
            case DOMAIN, HOST -> "example.com";
            case URL -> "https://example.com/page";
            case HOST_PORT -> "example.com:8443";
            case IP -> "192.0.2.1";
            case EMAIL -> "user@example.com";
        };
    }

    private void check(RoutingContext ctx) {
        String target = parameter(ctx, "target");
        String tool = parameter(ctx, "tool");
        ModuleDefinition<?> module = modules.find(tool);
        if (module == null && !tool.isEmpty()) {
            problems.send(ctx, ToolPages.notFound(tool));
            return;
        }
        redirect(ctx, target, module == null ? null : module.description(), "");
    }

    /** A name without a dot or colon is not a permitted target, so it is the name of a tool. */
    private void open(RoutingContext ctx) {
        String input = RawTarget.decoded(ctx.request().path().replaceFirst("/$", ""));
        ModuleDefinition<?> module = modules.find(input);
        if (module != null) {
            redirectForm(ctx, module.description());
        } else if (ModuleCatalogue.isName(input)) {
            problems.send(ctx, ToolPages.notFound(input));
        } else {
            redirect(ctx, input, null, Links.query(ctx.queryParams()));
        }
    }

    private void redirectForm(RoutingContext ctx, ModuleDescription module) {
        String target = parameter(ctx, "target");
        pages.redirect(
                ctx,
                target.isEmpty()
                        ? "/tools/" + module.module()
                        : Links.report(
                                module.module(), target, OptionField.changed(module, ctx.queryParams()::getAll)));
    }

    /** @param query of the report, with its question mark; or empty */
    private void redirect(RoutingContext ctx, String target, @Nullable ModuleDescription selected, String query) {
        try {
            ToolMatcher.Match match =
                    selected == null ? matcher.byDefault(target) : ToolMatcher.match(selected, target);
            pages.redirect(ctx, match.path() + query);
        } catch (InvalidTargetException rejected) {
            PageInfo page = PageInfo.unlisted("Invalid target", DESCRIPTION, "check");
            String error = target.isEmpty() ? "Enter a target." : rejected.getMessage();
            pages.show(ctx, 422, page, "home", view(target, selected, error));
        }
    }

    private static String parameter(RoutingContext ctx, String name) {
        return Strings.nullToEmpty(ctx.queryParams().get(name)).strip();
    }
}
