package dev.plumbline.http.web.job;

import dev.plumbline.account.AuthenticatedUser;
import dev.plumbline.account.PageKeyStore;
import dev.plumbline.bus.JobMessage;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.ModuleDescription;
import dev.plumbline.http.api.job.PageJobService;
import dev.plumbline.http.server.PageRoutes;
import dev.plumbline.http.web.WebRoutes;
import dev.plumbline.http.web.account.AccountAccess;
import dev.plumbline.http.web.layout.DisplayText;
import dev.plumbline.http.web.layout.Links;
import dev.plumbline.http.web.layout.PageInfo;
import dev.plumbline.http.web.layout.PageRenderer;
import io.vertx.core.Future;
import io.vertx.ext.web.RoutingContext;
import java.time.Clock;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** {@code /jobs/{token}}: a job, its lines and what they come to; and what can be done with it. */
public final class JobPage implements PageRoutes.Pages {
    private static final String ONE = JobsPage.PATH + "/:token";
    private static final ResultColumns NONE = new ResultColumns(List.of(), List.of(), null, null);

    private final PageRenderer pages;
    private final ModuleCatalogue modules;
    private final AccountAccess members;
    private final PageJobService jobs;
    private final PageKeyStore keys;
    private final ResultReader reader;
    private final Clock clock;
    private final Map<String, ResultColumns> columns = new HashMap<>();

    public JobPage(WebRoutes.Dependencies needs) {
        this.pages = needs.pages();
        this.modules = needs.modules();
        this.members = new AccountAccess(needs);
        this.jobs = needs.jobs();
        this.keys = needs.keys();
        this.reader = new ResultReader(jobs);
        this.clock = needs.clock();
        for (ModuleDescription module : modules.descriptions()) {
            columns.put(module.module(), ResultColumns.of(module));
        }
    }

    /** Where a job is shown. */
    static String path(String token) {
        return JobsPage.PATH + '/' + token;
    }

    @Override
    public void mount(PageRoutes routes) {
        routes.get(ONE, "job", ctx -> enter(ctx, (who, job) -> whole(ctx, who, job)));
        routes.get(ONE + "/live", "job-live", ctx -> enter(ctx, (who, job) -> live(ctx, who, job)));
        routes.get(
                ONE + "/results.csv",
                "job-csv",
                ctx -> enter(ctx, (who, job) -> jobs.send(ctx, job, PageJobService.File.CSV)));
        routes.get(
                ONE + "/results.ndjson",
                "job-ndjson",
                ctx -> enter(ctx, (who, job) -> jobs.send(ctx, job, PageJobService.File.NDJSON)));
        routes.post(ONE + "/cancel", "cancel", ctx -> member(ctx, who -> cancel(ctx, who)));
        routes.post(ONE + "/again", "again", ctx -> enter(ctx, (who, job) -> again(ctx, who, job)));
    }

    private static String token(RoutingContext ctx) {
        return ctx.pathParam("token");
    }

    private void member(RoutingContext ctx, Consumer<AuthenticatedUser> then) {
        members.pro(ctx, path(Links.encoded(token(ctx))), then);
    }

    private void enter(RoutingContext ctx, BiConsumer<AuthenticatedUser, JobMessage.JobSnapshot> then) {
        member(ctx, who -> when(ctx, jobs.read(who.account().id(), token(ctx)), job -> then.accept(who, job)));
    }

    /** Goes on with what was asked for, or shows why there is nothing to go on with. */
    private <T> void when(RoutingContext ctx, Future<T> asked, Consumer<T> then) {
        asked.onComplete((value, failure) -> {
            try {
                if (failure != null) {
                    JobsPage.fail(ctx, pages, failure);
                } else {
                    then.accept(value);
                }
            } catch (RuntimeException fault) {
                ctx.fail(fault);
            }
        });
    }

    /**
     * A job with its lines.
     *
     * @param options what differs from the tool's defaults, by their titles
     * @param query of this page
     * @param again how many lines may be worth another try; 0 as long as the job runs
     */
    public record Job(
            JobSummary summary,
            ResultTable table,
            List<Chart> plots,
            Map<String, String> options,
            String query,
            int again) {}

    private void whole(RoutingContext ctx, AuthenticatedUser who, JobMessage.JobSnapshot job) {
        when(ctx, view(ctx, job), view -> {
            PageInfo page = PageInfo.unlisted(
                            view.summary.tool() + ", " + lines(job.total()), "A bulk check and its results.", "bulk")
                    .with("job.js")
                    .of(who.account().email());
            pages.show(ctx, page, "job", view);
        });
    }

    static String lines(int count) {
        return count == 1 ? "1 line" : count + " lines";
    }

    /** The part of the page that changes while the job runs; 204 as long as it has not. */
    private void live(RoutingContext ctx, AuthenticatedUser who, JobMessage.JobSnapshot job) {
        if (Long.toString(job.version()).equals(ctx.queryParams().get("seen"))) {
            ctx.response()
                    .setStatusCode(204)
                    .putHeader("Cache-Control", "private, no-cache")
                    .end();
            return;
        }
        when(
                ctx,
                view(ctx, job),
                view -> pages.show(
                        ctx, PageInfo.unlisted("", "", "bulk").of(who.account().email()), "jobupdate", view));
    }

    private Future<Job> view(RoutingContext ctx, JobMessage.JobSnapshot job) {
        ResultColumns fields = columns.getOrDefault(job.module(), NONE);
        ResultTable.Filter wish =
                ResultTable.Filter.of(name -> ctx.queryParams().get(name));
        ModuleDefinition<?> module = modules.find(job.module());
        Map<String, String> given = given(job);
        return reader.rows(ctx.vertx(), job, fields.names()).map(rows -> {
            Instant now = clock.instant();
            JobSummary summary = JobSummary.of(job, modules, now);
            return new Job(
                    summary,
                    ResultTable.of(rows, wish, fields, row -> report(job, module, row, given)),
                    job.done() == 0 ? List.of() : ResultCharts.of(job, fields, rows, now),
                    titled(module, job),
                    wish.link(),
                    summary.over()
                            ? (int) rows.stream()
                                    .filter(ResultRow::worthAnotherTry)
                                    .count()
                            : 0);
        });
    }

    private static @Nullable String report(
            JobMessage.JobSnapshot job,
            @Nullable ModuleDefinition<?> module,
            ResultRow row,
            Map<String, String> given) {
        return module == null || row.target() == null || row.target().isEmpty()
                ? null
                : Links.report(job.module(), row.target(), given);
    }

    /** The options as a query has them. */
    private static Map<String, String> given(JobMessage.JobSnapshot job) {
        Map<String, String> given = new TreeMap<>();
        job.options().forEach((name, value) -> {
            if (!name.equals(ModuleDescription.FRESH.name())) {
                given.put(name, text(value));
            }
        });
        return given;
    }

    private static String text(Object value) {
        return value instanceof List<?> list
                ? list.stream().map(String::valueOf).collect(Collectors.joining(","))
                : value.toString();
    }

    private static Map<String, String> titled(@Nullable ModuleDefinition<?> module, JobMessage.JobSnapshot job) {
        Map<String, String> titled = new LinkedHashMap<>();
        new TreeMap<>(job.options()).forEach((name, value) -> {
            var option = name.equals(ModuleDescription.FRESH.name())
                    ? ModuleDescription.FRESH
                    : module == null ? null : module.description().option(name);
            titled.put(option == null ? name : option.title(), DisplayText.plain(text(value)));
        });
        return titled;
    }

    private void cancel(RoutingContext ctx, AuthenticatedUser who) {
        when(ctx, jobs.cancel(who.account().id(), token(ctx)), job -> pages.redirect(ctx, path(job.token())));
    }

    /** A new job of the lines that failed: what went wrong may have been mended. */
    private void again(RoutingContext ctx, AuthenticatedUser who, JobMessage.JobSnapshot job) {
        long account = who.account().id();
        Future<JobMessage.JobSnapshot> created = reader.rows(
                        ctx.vertx(),
                        job,
                        columns.getOrDefault(job.module(), NONE).names())
                .compose(rows -> {
                    List<String> failed = rows.stream()
                            .filter(ResultRow::worthAnotherTry)
                            .map(ResultRow::input)
                            .toList();
                    if (failed.isEmpty()) {
                        return Future.succeededFuture(job);
                    }
                    Map<String, Object> options = new HashMap<>(job.options());
                    // what went wrong is known for ten minutes too
                    options.put(ModuleDescription.FRESH.name(), true);
                    return keys.of(account)
                            .compose(key -> jobs.create(
                                    ctx.vertx(),
                                    new PageJobService.Owner(account, key),
                                    new PageJobService.JobParameters(job.module(), failed, options),
                                    null));
                });
        when(ctx, created, next -> pages.redirect(ctx, path(next.token())));
    }
}
