package dev.plumbline.http.web.report;

import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.check.ModuleDescription;
import dev.plumbline.check.UnicodeName;
import dev.plumbline.http.RawTarget;
import dev.plumbline.http.ResponseBodies;
import dev.plumbline.http.api.instant.InstantCheckService;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.ProblemResponder;
import dev.plumbline.http.server.PageRoutes;
import dev.plumbline.http.web.layout.EncodedBody;
import dev.plumbline.http.web.layout.Links;
import dev.plumbline.http.web.layout.PageDependencies;
import dev.plumbline.http.web.layout.PageInfo;
import dev.plumbline.http.web.layout.PageRenderer;
import dev.plumbline.http.web.tool.CheckForm;
import dev.plumbline.http.web.tool.OptionField;
import dev.plumbline.http.web.tool.ToolMatcher;
import dev.plumbline.http.web.tool.ToolPages;
import dev.plumbline.instant.InstantOutcome;
import dev.plumbline.result.RenderedResult;
import io.vertx.core.Future;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * {@code /check/{module}/{target}}: a report. {@code /quota}: the remaining fresh checks. Checks run as in the API, but
 * only for navigation requests.
 */
public final class ReportPage implements PageRoutes.Pages {
    private static final Set<String> SPECULATIVE = Set.of("prefetch", "prerender", "preview");
    private static final List<String> PURPOSE_HEADERS = List.of("Sec-Purpose", "Purpose", "X-Purpose", "X-Moz");

    private final PageRenderer pages;
    private final ModuleCatalogue modules;
    private final ProblemResponder problems;
    private final InstantCheckService checks;
    private final ReportViewBuilder reports;
    private final ReportPageCache cache;

    public ReportPage(PageDependencies dependencies) {
        this.pages = dependencies.pages();
        this.modules = dependencies.modules();
        this.problems = dependencies.problems();
        this.checks = dependencies.checks();
        this.reports = new ReportViewBuilder(pages.site().publicUrl(), new ToolMatcher(modules), dependencies.clock());
        this.cache = new ReportPageCache(dependencies.clock());
    }

    @Override
    public void mount(PageRoutes routes) {
        routes.get("/check/:module/:target", "report", this::report);
        routes.get("/quota", "quota", this::quota);
    }

    /** The remaining quota, which a script displays when a report has expired. */
    private void quota(RoutingContext ctx) {
        PageInfo page = PageInfo.unlisted("Fresh checks", "Remaining fresh checks.", "check");
        checks.left(ctx)
                .onSuccess(quota -> pages.show(ctx, page, "quota", ReportViewBuilder.quotaSentence(quota)))
                .onFailure(ctx::fail);
    }

    private void report(RoutingContext ctx) {
        EncodedBody cached = pages.hasSessionCookie(ctx) ? null : cache.find(RawTarget.original(ctx));
        if (cached != null) {
            pages.send(ctx, cached);
            return;
        }
        ModuleDescription module = ToolPages.find(ctx, modules, problems);
        if (module == null) {
            return;
        }
        String target = RawTarget.decoded(ctx.request().path());
        Future<InstantOutcome> outcome = isNavigation(ctx)
                ? checks.check(ctx, module.module(), target)
                : checks.findCached(ctx, module.module(), target);
        outcome.map(completed -> {
                    show(ctx, module, target, completed);
                    return completed;
                })
                .onFailure(ctx::fail);
    }

    /**
     * Whether a user opened the page. Subresources, frames, prefetches and HEAD requests do not run checks (Fetch
     * Metadata Request Headers; {@code Sec-Purpose} of the Fetch standard).
     */
    private static boolean isNavigation(RoutingContext ctx) {
        HttpServerRequest request = ctx.request();
        String mode = request.getHeader("Sec-Fetch-Mode");
        String destination = request.getHeader("Sec-Fetch-Dest");
        return !ResponseBodies.headOnly(ctx)
                && request.method().equals(HttpMethod.GET)
                && (mode == null || mode.equals("navigate"))
                && (destination == null || destination.equals("document"))
                && PURPOSE_HEADERS.stream().map(request::getHeader).noneMatch(ReportPage::isSpeculative);
    }

    private static boolean isSpeculative(@Nullable String purpose) {
        return purpose != null && SPECULATIVE.stream().anyMatch(purpose.toLowerCase(Locale.ROOT)::contains);
    }

    private void show(RoutingContext ctx, ModuleDescription module, String target, InstantOutcome outcome) {
        Map<String, String> options = OptionField.changed(module, ctx.queryParams());
        if (outcome instanceof InstantOutcome.Completed answered) {
            show(ctx, module, options, answered);
            return;
        }
        CheckForm form = CheckForm.of(module, target, options);
        UnicodeName name = UnicodeName.of(target);
        PageInfo page = PageInfo.unlisted(title(module, name), module.summary(), "check");
        if (outcome instanceof InstantOutcome.NotCached) {
            String path = Links.report(module.module(), target, options);
            pages.show(ctx, page.withCanonical(path), "reportunavailable", new Unavailable(form, name, path, null));
            return;
        }
        Problem problem = InstantCheckService.problem(ctx, outcome);
        problem.headers().forEach(ctx.response()::putHeader);
        pages.show(ctx, problem.status(), page, "reportunavailable", new Unavailable(form, name, "", problem));
    }

    private void show(
            RoutingContext ctx,
            ModuleDescription module,
            Map<String, String> options,
            InstantOutcome.Completed answered) {
        InstantCheckService.setRateLimitHeaders(ctx, answered);
        ReportView report = reports.build(module, answered, options);
        PageInfo page = PageInfo.unlisted(title(module, report.target()), report.description(), "check")
                .withCanonical(report.path());
        boolean session = pages.hasSessionCookie(ctx);
        byte[] html = pages.render(page, session, "report", report);
        if (session || answered.fresh()) {
            pages.send(ctx, 200, html);
        } else {
            RenderedResult result = answered.result();
            pages.send(ctx, cache.put(RawTarget.original(ctx), result.checkedAt(), result.expiresAt(), html));
        }
    }

    /**
     * A page without a result.
     *
     * @param path of the report
     * @param problem why the check did not run; null if no check was requested
     */
    public record Unavailable(CheckForm form, UnicodeName target, String path, @Nullable Problem problem) {}

    private static String title(ModuleDescription module, UnicodeName target) {
        return module.title() + " for " + target;
    }
}
