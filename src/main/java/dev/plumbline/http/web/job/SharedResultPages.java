package dev.plumbline.http.web.job;

import dev.plumbline.account.AuthenticatedUser;
import dev.plumbline.bus.JobMessage;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.http.api.job.LineState;
import dev.plumbline.http.api.job.PageJobService;
import dev.plumbline.http.api.policy.PolicyParameters;
import dev.plumbline.http.api.policy.ResultEvaluation;
import dev.plumbline.http.api.share.SharedResultService;
import dev.plumbline.http.body.FormBody;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.RequestFutures;
import dev.plumbline.http.server.PageRoutes;
import dev.plumbline.http.web.account.AccountAccess;
import dev.plumbline.http.web.layout.DisplayFormat;
import dev.plumbline.http.web.layout.DisplayText;
import dev.plumbline.http.web.layout.DisplayValue;
import dev.plumbline.http.web.layout.Links;
import dev.plumbline.http.web.layout.PageInfo;
import dev.plumbline.http.web.layout.PageRenderer;
import dev.plumbline.http.web.layout.ProblemView;
import dev.plumbline.http.web.report.ReportView;
import dev.plumbline.http.web.report.ReportViewBuilder;
import dev.plumbline.http.web.tool.OptionField;
import dev.plumbline.result.ResultJson;
import dev.plumbline.share.SharedResult;
import dev.plumbline.share.SharedResultStore;
import dev.plumbline.sheet.ModuleDescription;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * {@code /results/{id}}: a shared result, which anyone can read. {@code /results}: shares and deletes results, and
 * lists those of the account. Never runs a check.
 */
public final class SharedResultPages implements PageRoutes.Pages {
    private static final String PATH = "/results";

    /** The account can have more; the API lists all. */
    private static final int MAX_LISTED = 100;

    /** The fields of the form that shares a result. */
    private static final String OPTION = "option-";

    private final PageRenderer pages;
    private final ModuleCatalogue modules;
    private final SharedResultService shared;
    private final AccountAccess access;
    private final ReportViewBuilder reports;
    private final ResultReader reader;
    private final SummaryReader summaries;
    private final PageJobService jobs;
    private final LargePages largePages;

    public SharedResultPages(
            PageRenderer pages,
            ModuleCatalogue modules,
            Clock clock,
            PageJobService jobs,
            SharedResultService shared,
            AccountAccess access) {
        this.pages = pages;
        this.modules = modules;
        this.shared = shared;
        this.access = access;
        this.reports = new ReportViewBuilder(pages.site().publicUrl(), modules, clock, false);
        this.jobs = jobs;
        this.largePages = new LargePages(pages, jobs);
        this.summaries = new SummaryReader(jobs, clock);
        this.reader = new ResultReader(
                jobs,
                modules,
                (job, from, evaluation, consumer) -> jobs.copiedLines(
                        job, indexes -> shared.lines(job.token()).read(indexes), from, evaluation, consumer));
    }

    @Override
    public void mount(PageRoutes routes) {
        routes.get(PATH, "shared-results", ctx -> access.pro(ctx, PATH, user -> list(ctx, user)));
        routes.post(PATH, "share", ctx -> access.form(ctx, form -> share(ctx, form)));
        routes.get(PATH + "/:id", "shared-result", this::open);
        routes.get(PATH + "/:id" + JobLinePage.LINES + ":index", "shared-line", this::openLine);
        routes.post(PATH + "/:id/delete", "delete-result", ctx -> access.form(ctx, form -> delete(ctx, form)));
    }

    /**
     * The data of a shared result on all of its pages.
     *
     * @param path of its page
     * @param apiPath of the API
     * @param rules the module and the version of its rules; null if the result does not have it
     */
    public record Shared(
            String path,
            String apiPath,
            DisplayValue.Timestamp created,
            DisplayValue.Timestamp expires,
            @Nullable String rules) {

        static Shared of(SharedResult result, @Nullable String rules) {
            return new Shared(
                    PATH + '/' + result.id(),
                    "/api/v1/results/" + result.id(),
                    timestamp(result.createdAt()),
                    timestamp(result.expiresAt()),
                    rules);
        }
    }

    /**
     * A new shared result.
     *
     * @param url of its page
     * @param deleteToken null for a job
     * @param origin the path of the page with the result itself
     */
    public record NewShare(Shared shared, String url, @Nullable String deleteToken, String origin) {
        /** Omits the token. */
        @Override
        public String toString() {
            return "NewShare[" + shared.path() + "]";
        }
    }

    /**
     * A shared check, or a line of a shared job.
     *
     * @param name the target of the check, or the line
     * @param options the options that differ from the defaults, by title
     * @param report null without a result, or if the module does not exist
     * @param instantPath the path of the report of the same check; null without a report or for an invalid target
     * @param line null for a check
     * @param policy which policy and expectations are applied; null for none
     * @param query the query string with the policy and the expectations of the request
     */
    public record SharedReport(
            Shared shared,
            DisplayText name,
            Map<String, String> options,
            @Nullable ReportView report,
            @Nullable String instantPath,
            @Nullable SharedLine line,
            @Nullable PolicyNote policy,
            String query) {}

    /**
     * A line of a shared job.
     *
     * @param index from 0
     * @param explanation why there is no report
     */
    public record SharedLine(JobSummary summary, int index, String explanation) {
        /** The path of the page of the previous line, or null. */
        public @Nullable String previous() {
            return index == 0 ? null : summary.linePath(index - 1);
        }

        /** The path of the page of the next line, or null. */
        public @Nullable String next() {
            return index + 1 < summary.job().total() ? summary.linePath(index + 1) : null;
        }
    }

    /** A shared job. */
    public record SharedJob(Shared shared, JobPage.Job job) {
        public DisplayValue.@Nullable Timestamp finished() {
            Instant at = job.summary().job().finishedAt();
            return at == null ? null : timestamp(at);
        }
    }

    /** @param more whether the account has more shared results than listed */
    public record SharedList(List<Entry> entries, boolean more) {
        /** @param tool the title of the module */
        public record Entry(Shared shared, DisplayText name, String tool) {}
    }

    private static DisplayValue.Timestamp timestamp(Instant time) {
        return DisplayFormat.timestamp(ResultJson.time(time));
    }

    private void share(RoutingContext ctx, FormBody form) {
        String token = form.text("job");
        if (!token.isEmpty()) {
            String jobPath = JobPage.path(Links.encoded(token));
            access.pro(
                    ctx,
                    jobPath,
                    user -> showNew(ctx, user, shared.shareJob(user.account().id(), token), jobPath));
            return;
        }
        String module = form.text("module");
        String target = form.text("target");
        Map<String, Object> options = new TreeMap<>();
        Map<String, String> parameters = new TreeMap<>();
        for (String field : form.values().keySet()) {
            if (field.startsWith(OPTION)) {
                String name = field.substring(OPTION.length());
                options.put(name, form.text(field));
                parameters.put(name, form.text(field));
            }
        }
        showNew(
                ctx,
                null,
                shared.shareCheck(ctx, module, target, options),
                Links.report(Links.encoded(module), target, parameters));
    }

    private void showNew(
            RoutingContext ctx,
            @Nullable AuthenticatedUser user,
            Future<SharedResultService.SharedNow> sharing,
            String origin) {
        PageInfo info = PageInfo.unlisted("Result shared", "The link of a shared result.", "");
        PageInfo page = user == null ? info : info.withUser(user.account().email());
        RequestFutures.handle(
                ctx,
                sharing,
                created -> {
                    Shared result = Shared.of(created.result(), null);
                    pages.show(
                            ctx,
                            201,
                            page,
                            "sharednow",
                            new NewShare(
                                    result, pages.site().publicUrl() + result.path(), created.deleteToken(), origin));
                },
                problem -> pages.show(
                        ctx, problem, "", List.of(new ProblemView.PageLink(origin, "Go back to the result"))));
    }

    private void list(RoutingContext ctx, AuthenticatedUser user) {
        Future<List<SharedResult>> results =
                shared.list(user.account().id(), SharedResultStore.Position.START, MAX_LISTED + 1);
        handle(ctx, results, found -> {
            List<SharedList.Entry> entries = found.stream()
                    .limit(MAX_LISTED)
                    .map(result -> new SharedList.Entry(
                            Shared.of(result, null), DisplayText.of(result.name()), title(result.module())))
                    .toList();
            PageInfo page = PageInfo.unlisted("Shared results", "Shared results of your account.", "bulk")
                    .withUser(user.account().email());
            pages.show(ctx, page, "sharedresults", new SharedList(entries, found.size() > MAX_LISTED));
        });
    }

    private <T extends @Nullable Object> void handle(RoutingContext ctx, Future<T> future, Consumer<T> next) {
        RequestFutures.handle(ctx, future, next, problem -> pages.show(ctx, problem));
    }

    private void delete(RoutingContext ctx, FormBody form) {
        String id = ctx.pathParam("id");
        String path = PATH + '/' + Links.encoded(id);
        String token = form.text("delete_token").strip();
        if (!token.isEmpty()) {
            PageInfo page = PageInfo.unlisted("Shared result deleted", "A shared result was deleted.", "");
            RequestFutures.handle(
                    ctx,
                    shared.delete(id, token),
                    deleted -> pages.show(ctx, page, "shareddeleted", path),
                    problem -> pages.show(
                            ctx, problem, "", List.of(new ProblemView.PageLink(path, "Go back to the shared result"))));
            return;
        }
        access.pro(
                ctx,
                PATH,
                user -> handle(ctx, shared.delete(id, user.account().id()), deleted -> pages.redirect(ctx, PATH)));
    }

    private void open(RoutingContext ctx) {
        handle(ctx, shared.find(ctx.pathParam("id")), result -> {
            if (result.job() == null) {
                openCheck(ctx, result, Objects.requireNonNull(result.check()));
            } else {
                openJob(ctx, result, result.job());
            }
        });
    }

    private void openCheck(RoutingContext ctx, SharedResult result, SharedResult.SharedCheck check) {
        handle(ctx, shared.checkResult(result), body -> {
            JsonObject json = new JsonObject(body);
            Map<String, String> options = new TreeMap<>();
            check.options().forEach((name, value) -> options.put(name, OptionField.text(value)));
            ReportView report = report(check.module(), check.target(), json, options, null);
            PageInfo page = info(
                    title(check.module()) + " for " + (report == null ? check.target() : report.target()),
                    report == null ? "A shared result." : report.description());
            pages.show(
                    ctx,
                    page.withCanonical(PATH + '/' + result.id()),
                    "sharedreport",
                    new SharedReport(
                            Shared.of(result, json.getString("rules")),
                            DisplayText.of(check.target()),
                            options(result),
                            report,
                            report == null ? null : report.path(),
                            null,
                            null,
                            ""));
        });
    }

    private static PageInfo info(String title, String description) {
        return PageInfo.unlisted(title, description, "");
    }

    private @Nullable ReportView report(
            String module,
            String input,
            JsonObject result,
            Map<String, String> instantOptions,
            @Nullable ResultEvaluation evaluation) {
        ModuleDescription description = modules.description(module);
        return description == null ? null : reports.build(description, input, result, instantOptions, evaluation);
    }

    private String title(String module) {
        ModuleDescription description = modules.description(module);
        return description == null ? module : description.title();
    }

    /** The readers of a result did not choose its options, which can decide what it is about. */
    private Map<String, String> options(SharedResult result) {
        return JobPage.optionsByTitle(modules.description(result.module()), result.options());
    }

    private JobSummary summary(SharedResult result, JobMessage.JobSnapshot job) {
        return new JobSummary(job, title(job.module()), PATH + '/' + result.id(), null);
    }

    private void openJob(RoutingContext ctx, SharedResult result, JobMessage.JobSnapshot job) {
        LineQuery query = LineQuery.of(ctx.queryParams());
        ModuleDescription module = modules.description(job.module());
        List<String> errors =
                query.faults(job, module).stream().map(Problem.Fault::detail).toList();
        ResultColumns columns = module == null ? JobPage.NO_COLUMNS : ResultColumns.of(module);
        ResultColumns selected = module == null || !errors.isEmpty()
                ? columns
                : columns.withFields(module, query.selection().fields());
        JobSummary summary = summary(result, job);
        Future<ResultValues> values = summaries.read(
                job, module, () -> jobs.portfolio().summaryOfCopy(shared.client(ctx), job, shared.lines(result.id())));
        Future<SharedJob> view = jobs.evaluation(ctx, job, query.policy()).compose(evaluation -> reader.read(
                        job, selected.names(), evaluation)
                .compose(results -> values.compose(
                        read -> shared.lines(result.id()).read(List.of(0)).map(first -> {
                            JobSummary shown = evaluation == null ? summary : summary.withVerdicts(results.rows());
                            JobPage.Job content = new JobPage.Job(
                                    shown,
                                    query,
                                    errors,
                                    errors.isEmpty() ? ResultTable.of(results.rows(), query, selected) : null,
                                    module == null ? Map.of() : JobPage.titles(module),
                                    results.findings(),
                                    job.done() == 0
                                            ? List.of()
                                            : ResultCharts.of(
                                                    shown, query, columns, results.rows(), result.createdAt()),
                                    read,
                                    List.of(),
                                    JobPage.optionsByTitle(module, job.options()),
                                    PolicyNote.of(job, query.policy(), evaluation, other -> query.with(other)
                                            .link()),
                                    0,
                                    "");
                            return new SharedJob(
                                    Shared.of(result, first.isEmpty() ? null : rules(first.get(0))), content);
                        }))));
        handle(
                ctx,
                view,
                content -> largePages.show(
                        ctx,
                        errors.isEmpty() ? 200 : 422,
                        info(
                                        job.name(),
                                        summary.content() + ": "
                                                + content.job().summary().counts() + ".")
                                .withCanonical(PATH + '/' + result.id()),
                        "sharedjob",
                        content,
                        content.job().large()));
    }

    private static @Nullable String rules(JobMessage.ResultLine line) {
        return line.result() == null ? null : new JsonObject(Buffer.buffer(line.result())).getString("rules");
    }

    private void openLine(RoutingContext ctx) {
        String text = ctx.pathParam("index");
        handle(ctx, shared.find(ctx.pathParam("id")), result -> {
            JobMessage.JobSnapshot job = result.job();
            int total = job == null ? 0 : job.total();
            int index = text.matches("0|[1-9][0-9]{0,5}") ? Integer.parseInt(text) : total;
            if (job == null || index >= total) {
                pages.show(
                        ctx,
                        Problem.notFound("The shared result does not have a line with this index."),
                        "",
                        List.of(new ProblemView.PageLink(PATH + '/' + result.id(), "View the shared result")));
                return;
            }
            PolicyParameters policy = PolicyParameters.of(ctx.queryParams());
            handle(
                    ctx,
                    jobs.evaluation(ctx, job, policy),
                    evaluation -> handle(
                            ctx,
                            jobs.evaluated(shared.lines(result.id()), evaluation)
                                    .read(List.of(index)),
                            lines -> {
                                if (lines.isEmpty()) {
                                    pages.show(ctx, SharedResultService.notFound());
                                } else {
                                    showLine(ctx, result, job, lines.get(0), policy, evaluation);
                                }
                            }));
        });
    }

    private void showLine(
            RoutingContext ctx,
            SharedResult result,
            JobMessage.JobSnapshot job,
            JobMessage.ResultLine line,
            PolicyParameters policy,
            @Nullable ResultEvaluation evaluation) {
        ReportView report = null;
        String instantPath = null;
        String rules = null;
        if (line.result() != null) {
            JsonObject json = new JsonObject(Buffer.buffer(line.result()));
            rules = json.getString("rules");
            report = report(job.module(), line.input(), json, JobLinePage.instantOptions(job), evaluation);
            instantPath = report == null || json.getString("target") == null ? null : report.path();
        }
        String explanation = LineState.of(job, line) == LineState.CANCELLED
                ? "The job was cancelled before this line was checked."
                : "The module `" + job.module() + "` no longer exists. The result is available as JSON.";
        PageInfo page = info(
                "Line " + (line.index() + 1) + " of " + job.name(),
                report == null ? "A line of a shared job." : report.description());
        pages.show(
                ctx,
                page.withCanonical(summary(result, job).linePath(line.index())),
                "sharedreport",
                new SharedReport(
                        Shared.of(result, rules),
                        DisplayText.of(line.input()),
                        options(result),
                        report,
                        instantPath,
                        new SharedLine(summary(result, job), line.index(), explanation),
                        PolicyNote.of(job, policy, evaluation, JobLinePage::link),
                        JobLinePage.link(policy)));
    }
}
