package dev.plumbline.http.web.job;

import dev.plumbline.account.AuthenticatedUser;
import dev.plumbline.bus.JobMessage;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.http.RawTarget;
import dev.plumbline.http.api.instant.InstantCheckService;
import dev.plumbline.http.api.job.PageJobService;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.ProblemResponder;
import dev.plumbline.http.problem.RequestFutures;
import dev.plumbline.http.server.PageRoutes;
import dev.plumbline.http.web.account.AccountAccess;
import dev.plumbline.http.web.layout.Links;
import dev.plumbline.http.web.layout.PageInfo;
import dev.plumbline.http.web.layout.PageRenderer;
import dev.plumbline.http.web.layout.ShellCommand;
import dev.plumbline.http.web.report.ReportPage;
import dev.plumbline.http.web.report.ReportView;
import dev.plumbline.http.web.tool.CheckForm;
import dev.plumbline.http.web.tool.OptionField;
import dev.plumbline.http.web.tool.ToolPages;
import dev.plumbline.result.store.ResultKey;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.InvalidTargetException;
import dev.plumbline.target.TargetParser;
import dev.plumbline.target.UnicodeName;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A fresh check before the cached result expires. {@code POST /check/{module}/{target}} creates a job of one line with
 * the option {@code fresh}, or redirects to the report, which describes the error, if an option or the target is
 * rejected. {@code /jobs/{token}/report} waits for it and redirects to the report, whose result the job has replaced.
 */
public final class RecheckPage implements PageRoutes.Pages {
    private static final String REPORT = "/report";

    /** How long a request is held. The page reloads itself, also without JavaScript. */
    private static final long WAIT_MS = 5_000;

    /** The first page appears sooner. */
    private static final long FIRST_WAIT_MS = 1_000;

    private static final String RELOADED = "reloaded";

    private final PageRenderer pages;
    private final ModuleCatalogue modules;
    private final ProblemResponder problems;
    private final AccountAccess access;
    private final InstantCheckService checks;
    private final PageJobService jobs;

    public RecheckPage(
            PageRenderer pages,
            ProblemResponder problems,
            ModuleCatalogue modules,
            InstantCheckService checks,
            PageJobService jobs,
            AccountAccess access) {
        this.pages = pages;
        this.modules = modules;
        this.problems = problems;
        this.access = access;
        this.checks = checks;
        this.jobs = jobs;
    }

    @Override
    public void mount(PageRoutes routes) {
        routes.post("/check/:module/:target", "recheck", this::create);
        routes.get(JobsPage.PATH + "/:token" + REPORT, "job-report", this::await);
    }

    /**
     * The page of a check in progress.
     *
     * @param jobPath of the job
     */
    public record InProgress(ModuleDescription module, UnicodeName target, String jobPath) {}

    /** @param options those that differ from their defaults */
    private record Check(ModuleDescription module, String target, Map<String, String> options) {
        String path() {
            return Links.report(module.module(), target, options);
        }
    }

    private void create(RoutingContext ctx) {
        ModuleDescription module = ToolPages.find(ctx, modules, problems);
        if (module == null) {
            return;
        }
        String target = RawTarget.decoded(ctx.request().path());
        Check check = new Check(module, target, OptionField.changed(module, ctx.queryParams()::getAll));
        access.pro(ctx, check.path(), user -> {
            Options options = Options.parse(module, check.options).options();
            if (options == null) {
                // the report describes the error
                pages.redirect(ctx, check.path());
                return;
            }
            RequestFutures.handle(ctx, checks.rejectsTarget(ctx, module.module(), target), rejected -> {
                if (rejected) {
                    pages.redirect(ctx, check.path());
                } else {
                    create(ctx, user, check, options);
                }
            });
        });
    }

    private void create(RoutingContext ctx, AuthenticatedUser user, Check check, Options options) {
        Map<String, Object> values = new HashMap<>(options.given());
        values.put(ModuleDescription.FRESH.name(), true);
        Future<JobMessage.JobSnapshot> created = jobs.create(
                user.account().id(),
                new PageJobService.JobParameters(null, check.module.module(), List.of(check.target), values, null),
                null);
        RequestFutures.handle(
                ctx,
                created,
                job -> pages.redirect(ctx, JobPage.path(job.token()) + REPORT),
                problem -> reject(ctx, user, check, problem));
    }

    private void reject(RoutingContext ctx, AuthenticatedUser user, Check check, Problem problem) {
        problem.headers().forEach(ctx.response()::putHeader);
        ModuleDescription module = check.module;
        UnicodeName target = UnicodeName.of(check.target);
        PageInfo page = page(module, target, user);
        ReportPage.Unavailable view = new ReportPage.Unavailable(
                CheckForm.of(module, check.target, check.options),
                target,
                check.path(),
                problem,
                null,
                new ReportView.Recheck(false, ShellCommand.check(module.module(), check.target, check.options)));
        pages.show(ctx, problem.status(), page, "reportunavailable", view);
    }

    private static PageInfo page(ModuleDescription module, UnicodeName target, AuthenticatedUser user) {
        return PageInfo.unlisted(module.title() + " for " + target, module.summary(), "check")
                .withUser(user.account().email());
    }

    private void await(RoutingContext ctx) {
        String token = ctx.pathParam("token");
        long wait = ctx.queryParams().contains(RELOADED) ? WAIT_MS : FIRST_WAIT_MS;
        access.pro(ctx, JobPage.path(Links.encoded(token)) + REPORT, user -> {
            Future<JobMessage.JobSnapshot> job = jobs.awaitFinal(user.account().id(), token, wait);
            JobsPage.handle(ctx, pages, job, found -> open(ctx, user, found));
        });
    }

    private void open(RoutingContext ctx, AuthenticatedUser user, JobMessage.JobSnapshot job) {
        ModuleDefinition<?> module = modules.find(job.module());
        if (module == null || job.total() != 1) {
            pages.redirect(ctx, JobPage.path(job.token()));
        } else if (job.state().isFinal()) {
            JobsPage.handle(
                    ctx,
                    pages,
                    jobs.line(job, 0, null).compose(line -> reportPath(module.description(), job, line)),
                    path -> pages.redirect(ctx, path));
        } else {
            showProgress(ctx, user, module.description(), job);
        }
    }

    private void showProgress(
            RoutingContext ctx, AuthenticatedUser user, ModuleDescription module, JobMessage.JobSnapshot job) {
        String path = JobPage.path(job.token());
        UnicodeName target = UnicodeName.of(job.name());
        ctx.response()
                .putHeader("Refresh", "1; url=" + pages.site().basePath() + path + REPORT + '?' + RELOADED + "=true");
        pages.show(ctx, page(module, target, user), "recheck", new InProgress(module, target, path));
    }

    /** The report if the result of the line is cached; otherwise the page of the line. */
    private Future<String> reportPath(
            ModuleDescription module, JobMessage.JobSnapshot job, JobMessage.ResultLine line) {
        String linePath = JobPage.path(job.token()) + JobLinePage.LINES + line.index();
        ReportedCheck check = line.result() == null ? null : reported(module, job, line.result());
        if (check == null) {
            return Future.succeededFuture(linePath);
        }
        return checks.results()
                .reload(check.key())
                .map(cached ->
                        cached != null && !cached.checkedAt().isBefore(check.checkedAt()) ? check.path() : linePath)
                .otherwise(linePath);
    }

    private record ReportedCheck(ResultKey key, String path, Instant checkedAt) {}

    /** The check of a line; null if its target is not valid. */
    private static @Nullable ReportedCheck reported(ModuleDescription module, JobMessage.JobSnapshot job, byte[] line) {
        JsonObject result = new JsonObject(Buffer.buffer(line));
        String target = result.getString("target");
        Map<String, String> given = JobLinePage.instantOptions(job);
        Options options = Options.parse(module, given).options();
        if (target == null || options == null) {
            return null;
        }
        try {
            return new ReportedCheck(
                    ResultKey.of(
                            module.module(), TargetParser.parse(module.targetRules(options), target), options.key()),
                    Links.report(module.module(), target, given),
                    Objects.requireNonNull(result.getInstant("checked_at")));
        } catch (InvalidTargetException rejected) {
            return null;
        }
    }
}
