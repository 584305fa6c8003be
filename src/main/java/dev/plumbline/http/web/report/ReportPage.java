package dev.plumbline.http.web.report;

import dev.plumbline.check.ModuleDescription;
import dev.plumbline.check.UnicodeName;
import dev.plumbline.http.RawTarget;
import dev.plumbline.http.ResponseBodies;
import dev.plumbline.http.api.instant.InstantCheckService;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.server.PageRoutes;
import dev.plumbline.http.web.WebRoutes;
import dev.plumbline.http.web.layout.DisplayText;
import dev.plumbline.http.web.layout.Links;
import dev.plumbline.http.web.layout.NavigationRequest;
import dev.plumbline.http.web.layout.PageInfo;
import dev.plumbline.http.web.layout.PageRenderer;
import dev.plumbline.http.web.tool.CheckForm;
import dev.plumbline.http.web.tool.OptionField;
import dev.plumbline.http.web.tool.ToolPathParameter;
import dev.plumbline.instant.InstantOutcome;
import io.vertx.core.Future;
import io.vertx.ext.web.RoutingContext;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * {@code /check/{module}/{target}}: the report, and {@code /check/{module}?target=…}, where forms
 * are sent, which leads to it; {@code /quota}, what is left of fresh checks. The check is run as
 * the API runs it, but for navigations alone.
 */
public final class ReportPage implements PageRoutes.Pages {
    private final PageRenderer pages;
    private final ToolPathParameter tool;
    private final InstantCheckService calls;
    private final ReportViewBuilder writer;
    private final ReportPageCache cache;

    public ReportPage(WebRoutes.Dependencies needs) {
        this.pages = needs.pages();
        this.tool = new ToolPathParameter(needs.modules(), needs.problems());
        this.calls = needs.calls();
        Clock clock = needs.clock();
        this.writer = new ReportViewBuilder(pages.site().publicUrl(), clock);
        this.cache = new ReportPageCache(clock);
    }

    @Override
    public void mount(PageRoutes routes) {
        routes.get("/check/:module", "form", this::sent);
        routes.get("/check/:module/:target", "report", this::report);
        routes.get("/quota", "quota", this::quota);
    }

    /** What the reader has left, for a report that has expired while it was read. */
    private void quota(RoutingContext ctx) {
        calls.left(ctx)
                .onSuccess(left -> {
                    PageInfo page = PageInfo.unlisted("Fresh checks", "What is left of them.", "check");
                    pages.show(ctx, page, "quotanote", ReportViewBuilder.left(left));
                })
                .onFailure(ctx::fail);
    }

    private void sent(RoutingContext ctx) {
        ModuleDescription module = tool.find(ctx);
        if (module == null) {
            return;
        }
        Map<String, List<String>> sent = parameters(ctx);
        List<String> targets = sent.getOrDefault("target", List.of());
        String target = targets.isEmpty() ? "" : targets.get(0).strip();
        pages.redirect(
                ctx,
                target.isEmpty()
                        ? "/tools/" + module.module()
                        : Links.report(module.module(), target, OptionField.asked(module, sent)));
    }

    private void report(RoutingContext ctx) {
        boolean anonymous = !pages.carriesSession(ctx);
        ReportPageCache.Rendered known = anonymous ? cache.find(RawTarget.asTyped(ctx)) : null;
        if (known != null) {
            cache.send(pages, ctx, known);
            return;
        }
        ModuleDescription module = tool.find(ctx);
        if (module == null) {
            return;
        }
        String target = RawTarget.decoded(ctx.request().path());
        boolean mayRun = NavigationRequest.isOne(ctx.request(), ResponseBodies.headOnly(ctx));
        Future<InstantOutcome> outcome =
                mayRun ? calls.check(ctx, module.module(), target) : calls.look(ctx, module.module(), target);
        outcome.onSuccess(ended -> {
                    try {
                        answer(ctx, module, target, ended);
                    } catch (RuntimeException fault) {
                        ctx.fail(fault);
                    }
                })
                .onFailure(ctx::fail);
    }

    private void answer(RoutingContext ctx, ModuleDescription module, String target, InstantOutcome outcome) {
        Map<String, String> asked = OptionField.asked(module, parameters(ctx));
        if (outcome instanceof InstantOutcome.Completed answered) {
            InstantCheckService.tellQuota(ctx, answered);
            ReportView report = writer.write(module, answered, asked);
            PageInfo page = PageInfo.unlisted(titled(module, report.target()), report.summary(), "check")
                    .at(report.path());
            boolean anonymous = !pages.carriesSession(ctx);
            byte[] html = pages.render(page, !anonymous, "report", report);
            if (anonymous && !answered.fresh()) {
                cache.send(
                        pages,
                        ctx,
                        cache.put(
                                RawTarget.asTyped(ctx),
                                answered.result().checkedAt(),
                                answered.result().expiresAt(),
                                html));
            } else {
                pages.send(ctx, 200, html);
            }
            return;
        }
        CheckForm form = CheckForm.of(module, target, asked);
        UnicodeName name = UnicodeName.of(target);
        PageInfo page = PageInfo.unlisted(titled(module, name), module.summary(), "check");
        if (outcome instanceof InstantOutcome.NotCached) {
            String path = Links.report(module.module(), target, asked);
            pages.show(ctx, page.at(path), "notchecked", new NotCheckedView(form, name, path, null));
            return;
        }
        Problem problem = InstantCheckService.problem(ctx, outcome);
        problem.headers().forEach(ctx.response()::putHeader);
        pages.show(ctx, problem.status(), page, "notchecked", new NotCheckedView(form, name, "", problem));
    }

    /**
     * There is no result.
     *
     * @param path where it would be
     * @param problem why not; null if nobody has asked for it yet
     */
    public record NotCheckedView(CheckForm form, UnicodeName target, String path, @Nullable Problem problem) {}

    private static String titled(ModuleDescription module, UnicodeName target) {
        return module.title() + " of " + DisplayText.plain(target.toString());
    }

    private static Map<String, List<String>> parameters(RoutingContext ctx) {
        Map<String, List<String>> parameters = new LinkedHashMap<>();
        ctx.queryParams()
                .names()
                .forEach(name -> parameters.put(name, ctx.queryParams().getAll(name)));
        return parameters;
    }
}
