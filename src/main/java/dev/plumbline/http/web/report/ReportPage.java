package dev.plumbline.http.web.report;

import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.http.RawTarget;
import dev.plumbline.http.ResponseBodies;
import dev.plumbline.http.api.instant.InstantCheckService;
import dev.plumbline.http.api.policy.PolicyParameters;
import dev.plumbline.http.api.policy.PolicyService;
import dev.plumbline.http.api.policy.ResultEvaluation;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.ProblemResponder;
import dev.plumbline.http.problem.RequestFutures;
import dev.plumbline.http.server.PageRoutes;
import dev.plumbline.http.web.account.AccountAccess;
import dev.plumbline.http.web.layout.DisplayFormat;
import dev.plumbline.http.web.layout.DisplayValue;
import dev.plumbline.http.web.layout.DisplayedLimits;
import dev.plumbline.http.web.layout.EncodedBody;
import dev.plumbline.http.web.layout.Links;
import dev.plumbline.http.web.layout.PageInfo;
import dev.plumbline.http.web.layout.PageRenderer;
import dev.plumbline.http.web.layout.PageStream;
import dev.plumbline.http.web.layout.ShellCommand;
import dev.plumbline.http.web.tool.CheckForm;
import dev.plumbline.http.web.tool.OptionField;
import dev.plumbline.http.web.tool.ToolPages;
import dev.plumbline.instant.InstantOutcome;
import dev.plumbline.result.RenderedResult;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.InvalidTargetException;
import dev.plumbline.target.TargetParser;
import dev.plumbline.target.UnicodeName;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.time.Clock;
import java.time.Duration;
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
    private final AccountAccess access;
    private final PolicyService policies;
    private final DisplayedLimits limits;
    private final Clock clock;

    public ReportPage(
            PageRenderer pages,
            ProblemResponder problems,
            ModuleCatalogue modules,
            InstantCheckService checks,
            DisplayedLimits limits,
            Clock clock,
            AccountAccess access,
            PolicyService policies) {
        this.pages = pages;
        this.modules = modules;
        this.problems = problems;
        this.checks = checks;
        this.access = access;
        this.policies = policies;
        this.limits = limits;
        this.clock = clock;
        this.reports = new ReportViewBuilder(pages.site().publicUrl(), modules, clock, limits.fresh() > 0);
        this.cache = new ReportPageCache(clock);
    }

    @Override
    public void mount(PageRoutes routes) {
        routes.get("/check/:module/:target", "report", this::report);
        routes.get("/quota", "quota", this::quota);
    }

    /** The remaining quota, which a script displays when a report has expired. */
    private void quota(RoutingContext ctx) {
        PageInfo page = PageInfo.unlisted("Fresh checks", "Remaining fresh checks.", "check");
        checks.quota(ctx)
                .map(quota -> quota == null ? "" : ReportViewBuilder.quotaSentence(quota.limit(), quota.remaining()))
                .onSuccess(sentence -> pages.show(ctx, page, "quota", sentence))
                .onFailure(ctx::fail);
    }

    private void report(RoutingContext ctx) {
        EncodedBody cached = pages.hasSessionCookie(ctx) ? null : cache.find(RawTarget.original(ctx));
        if (cached != null) {
            pages.send(ctx, cached);
            return;
        }
        ModuleDescription module = ToolPages.find(ctx, modules, problems);
        if (module != null) {
            PolicyParameters policy = PolicyParameters.of(ctx.queryParams());
            access.whetherPro(
                    ctx,
                    pro -> RequestFutures.handle(
                            ctx,
                            policies.evaluation(ctx, module, policy),
                            evaluation -> report(ctx, module, pro, evaluation)));
        }
    }

    /**
     * A requested report.
     *
     * @param target as in the URL
     * @param options those that differ from their defaults
     * @param pro whether the user can create jobs
     * @param evaluation null without a policy and expectations
     */
    private record Request(
            RoutingContext ctx,
            ModuleDescription module,
            String target,
            Map<String, String> options,
            boolean pro,
            @Nullable ResultEvaluation evaluation) {}

    private void report(
            RoutingContext ctx, ModuleDescription module, boolean pro, @Nullable ResultEvaluation evaluation) {
        String target = RawTarget.decoded(ctx.request().path());
        Map<String, String> options = OptionField.changed(module, ctx.queryParams()::getAll);
        Request request = new Request(ctx, module, target, options, pro, evaluation);
        if (!isNavigation(ctx)) {
            checks.findCached(ctx, module.module(), target).onComplete(outcome -> end(request, outcome, null));
            return;
        }
        Future<InstantOutcome> outcome = checks.check(ctx, module.module(), target);
        if (outcome.isComplete() || !module.composite()) {
            outcome.onComplete(completed -> end(request, completed, null));
            return;
        }
        String normalized = normalized(request);
        PageInfo page = page(module, UnicodeName.of(normalized), module.summary())
                .withCanonical(Links.report(module.module(), normalized, options));
        new ReportProgress(ctx, pages, checks)
                .await(
                        outcome,
                        page,
                        new ReportProgress.Start(module, normalized, modules.parts(module.module())),
                        (completed, stream) -> end(request, completed, stream));
    }

    /** @return the target itself if it or an option is invalid; its check is rejected */
    private static String normalized(Request request) {
        Options options = Options.parse(request.module, request.options).options();
        try {
            return options == null
                    ? request.target
                    : TargetParser.parse(request.module.targetRules(options), request.target)
                            .text();
        } catch (InvalidTargetException rejected) {
            return request.target;
        }
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

    /** @param stream the page whose first part has been sent; null if nothing has been sent */
    private void end(Request request, AsyncResult<InstantOutcome> check, @Nullable PageStream stream) {
        RequestFutures.run(request.ctx, () -> send(request, check, stream));
    }

    private void send(Request request, AsyncResult<InstantOutcome> check, @Nullable PageStream stream) {
        RoutingContext ctx = request.ctx;
        if (check.failed() && stream == null) {
            ctx.fail(check.cause());
            return;
        }
        InstantOutcome outcome = check.result();
        if (outcome instanceof InstantOutcome.Completed completed) {
            show(request, completed, stream);
            return;
        }
        ModuleDescription module = request.module;
        String target = request.target;
        UnicodeName name = UnicodeName.of(target);
        CheckForm form = CheckForm.of(module, target, request.options);
        PageInfo page = page(module, name, module.summary());
        if (outcome instanceof InstantOutcome.NotCached) {
            String path = Links.report(module.module(), target, request.options);
            Unavailable view = new Unavailable(form, name, path, null, null, null);
            pages.show(ctx, page.withCanonical(path), "reportunavailable", view);
            return;
        }
        Problem problem = check.failed()
                ? ProblemResponder.failure(ctx, check.cause())
                : InstantCheckService.problem(ctx, outcome);
        Unavailable view = outcome instanceof InstantOutcome.QuotaExceeded over
                ? quotaExceeded(request, form, problem, over)
                : new Unavailable(form, name, "", problem, null, null);
        if (stream == null) {
            problem.headers().forEach(ctx.response()::putHeader);
            pages.show(ctx, problem.status(), page, "reportunavailable", view);
        } else {
            stream.end("rejection", view);
        }
    }

    private void show(Request request, InstantOutcome.Completed completed, @Nullable PageStream stream) {
        ResultEvaluation evaluation = request.evaluation;
        if (evaluation == null) {
            show(request, completed, completed.result().cachedBody(), stream);
            return;
        }
        evaluation.apply(completed.result().cachedBody().getBytes()).onComplete((evaluated, failure) -> {
            if (failure == null) {
                RequestFutures.run(request.ctx, () -> show(request, completed, Buffer.buffer(evaluated), stream));
            } else {
                end(request, Future.failedFuture(failure), stream);
            }
        });
    }

    /** @param body the result, with the policy and expectations applied */
    private void show(Request request, InstantOutcome.Completed completed, Buffer body, @Nullable PageStream stream) {
        RoutingContext ctx = request.ctx;
        ReportView report = reports.build(
                request.module, completed, new JsonObject(body), request.options, request.evaluation, request.pro);
        if (stream != null) {
            stream.end("reportarticle", report);
            return;
        }
        InstantCheckService.setRateLimitHeaders(ctx, completed);
        PageInfo page =
                page(request.module, report.target(), report.description()).withCanonical(report.path());
        boolean session = pages.hasSessionCookie(ctx);
        byte[] html = pages.render(page, session, "report", report);
        if (session || completed.fresh() || request.evaluation != null) {
            pages.send(ctx, 200, html);
        } else {
            RenderedResult result = completed.result();
            pages.send(
                    ctx,
                    cache.put(
                            RawTarget.original(ctx),
                            result.checkedAt(),
                            result.expiresAt(),
                            () -> checks.results().isCurrent(result),
                            html));
        }
    }

    private Unavailable quotaExceeded(
            Request request, CheckForm form, Problem problem, InstantOutcome.QuotaExceeded over) {
        String module = request.module.module();
        String normalized = normalized(request);
        Duration wait = Duration.ofSeconds(over.quota().retryAfterSeconds());
        DisplayValue.Timestamp available =
                DisplayFormat.wholeMinute(clock.instant().plus(wait));
        return new Unavailable(
                form,
                UnicodeName.of(normalized),
                Links.report(module, normalized, request.options),
                problem,
                new Quota(over.quota().limit(), available, DisplayFormat.rounded(wait.plusSeconds(59)), limits),
                new ReportView.Recheck(request.pro, ShellCommand.check(module, normalized, request.options)));
    }

    /**
     * A page without a result.
     *
     * @param path of the report; empty if the target or an option is not valid
     * @param problem why the check did not run; null if no check was requested
     * @param quota the exceeded quota of fresh checks, or null
     * @param recheck how the check can run without this quota; null if it cannot
     */
    public record Unavailable(
            CheckForm form,
            UnicodeName target,
            String path,
            @Nullable Problem problem,
            @Nullable Quota quota,
            ReportView.@Nullable Recheck recheck) {}

    /**
     * An exceeded quota of fresh checks in any 60 minutes.
     *
     * @param available the first whole minute from which a fresh check is possible
     * @param remaining the time until then
     * @param limits the limits of jobs
     */
    public record Quota(int limit, DisplayValue.Timestamp available, String remaining, DisplayedLimits limits) {}

    private static PageInfo page(ModuleDescription module, UnicodeName target, String description) {
        return PageInfo.unlisted(module.title() + " for " + target, description, "check");
    }
}
