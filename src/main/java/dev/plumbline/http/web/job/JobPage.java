package dev.plumbline.http.web.job;

import dev.plumbline.account.AuthenticatedUser;
import dev.plumbline.bus.JobMessage;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.http.api.job.LineSelection;
import dev.plumbline.http.api.job.PageCursor;
import dev.plumbline.http.api.job.PageJobService;
import dev.plumbline.http.api.job.ResultFormat;
import dev.plumbline.http.body.FormBody;
import dev.plumbline.http.body.RequestBodyReader;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.server.PageRoutes;
import dev.plumbline.http.web.account.AccountAccess;
import dev.plumbline.http.web.layout.DisplayText;
import dev.plumbline.http.web.layout.Links;
import dev.plumbline.http.web.layout.PageInfo;
import dev.plumbline.http.web.layout.PageRenderer;
import dev.plumbline.http.web.tool.OptionField;
import dev.plumbline.input.JobName;
import dev.plumbline.portfolio.LineFilter;
import dev.plumbline.result.QuantityText;
import dev.plumbline.sheet.FieldDescription;
import dev.plumbline.sheet.ModuleDescription;
import io.vertx.core.Future;
import io.vertx.ext.web.RoutingContext;
import java.time.Clock;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** {@code /jobs/{token}}: a job with its charts and lines, its live updates, downloads, cancellation and retry. */
public final class JobPage implements PageRoutes.Pages {
    /** The anchor of the lines. */
    public static final String LINES = "#lines";

    /** The earlier jobs among which those of the same module are found. */
    private static final int MAX_LISTED = 100;

    private static final int MAX_EARLIER = 30;
    private static final String ROUTE = JobsPage.PATH + "/:token";
    static final ResultColumns NO_COLUMNS = new ResultColumns(List.of(), false, List.of(), null, null);

    private final PageRenderer pages;
    private final LargePages largePages;
    private final ModuleCatalogue modules;
    private final AccountAccess access;
    private final PageJobService jobs;
    private final RequestBodyReader bodies;
    private final ResultReader reader;
    private final SummaryReader summaries;
    private final Clock clock;
    private final Map<String, ResultColumns> columns = new HashMap<>();

    public JobPage(
            PageRenderer pages,
            ModuleCatalogue modules,
            RequestBodyReader bodies,
            Clock clock,
            PageJobService jobs,
            AccountAccess access) {
        this.pages = pages;
        this.largePages = new LargePages(pages, jobs);
        this.modules = modules;
        this.access = access;
        this.jobs = jobs;
        this.bodies = bodies;
        this.reader = new ResultReader(jobs, modules, jobs::lines);
        this.summaries = new SummaryReader(jobs, clock);
        this.clock = clock;
        for (ModuleDescription module : modules.descriptions()) {
            columns.put(module.module(), ResultColumns.of(module));
        }
    }

    static String path(String token) {
        return JobsPage.PATH + '/' + token;
    }

    @Override
    public void mount(PageRoutes routes) {
        routes.get(ROUTE, "job", ctx -> withJob(ctx, (user, job) -> show(ctx, user, job)));
        routes.get(ROUTE + "/live", "job-live", ctx -> withJob(ctx, (user, job) -> live(ctx, user, job)));
        routes.get(
                ROUTE + "/results.csv",
                "job-csv",
                ctx -> withJob(ctx, (user, job) -> send(ctx, user, job, ResultFormat.CSV)));
        routes.get(
                ROUTE + "/results.ndjson",
                "job-ndjson",
                ctx -> withJob(ctx, (user, job) -> send(ctx, user, job, ResultFormat.NDJSON)));
        routes.get(
                ROUTE + "/results.xlsx",
                "job-xlsx",
                ctx -> withJob(ctx, (user, job) -> send(ctx, user, job, ResultFormat.XLSX)));
        routes.post(ROUTE + "/cancel", "cancel", ctx -> withUser(ctx, user -> cancel(ctx, user)));
        routes.post(
                ROUTE + "/retry",
                "retry",
                ctx -> withUser(
                        ctx,
                        user -> FormBody.read(ctx, bodies, form -> retry(ctx, user, form.text(SubmissionKey.FIELD)))));
    }

    private static String token(RoutingContext ctx) {
        return ctx.pathParam("token");
    }

    private void withUser(RoutingContext ctx, Consumer<AuthenticatedUser> next) {
        if (JobsPage.policy(ctx, pages) != null) {
            String query = LineQuery.of(ctx.queryParams()).link();
            access.pro(ctx, path(Links.encoded(token(ctx))) + query, next);
        }
    }

    private void withJob(RoutingContext ctx, BiConsumer<AuthenticatedUser, JobMessage.JobSnapshot> next) {
        withUser(ctx, user -> handle(ctx, jobs.read(user.account().id(), token(ctx)), job -> next.accept(user, job)));
    }

    private <T extends @Nullable Object> void handle(RoutingContext ctx, Future<T> future, Consumer<T> next) {
        JobsPage.handle(ctx, pages, future, next);
    }

    private void send(RoutingContext ctx, AuthenticatedUser user, JobMessage.JobSnapshot job, ResultFormat file) {
        LineQuery query = LineQuery.of(ctx.queryParams());
        LineSelection selection = query.selection();
        List<Problem.Fault> faults = selection.faults(job.module(), description(job));
        if (faults.isEmpty()) {
            handle(
                    ctx,
                    jobs.evaluation(ctx, job, query.policy()),
                    evaluation -> jobs.send(ctx, user.account().id(), job, file, selection, evaluation));
        } else {
            JobsPage.showProblem(ctx, pages, Problem.invalidParameters(faults));
        }
    }

    private @Nullable ModuleDescription description(JobMessage.JobSnapshot job) {
        return modules.description(job.module());
    }

    /**
     * A job with its lines.
     *
     * @param query of this page
     * @param errors the errors of the query, in sentences; empty if it is valid
     * @param table null if the query is not valid
     * @param fields the fields of the module, by name
     * @param findings the findings of the lines
     * @param charts the first one has the verdicts; empty before the first result
     * @param values the values of the fields of all lines
     * @param earlier the jobs with which it can be compared
     * @param options those that differ from their defaults, by title
     * @param policy which policy and expectations are applied; null for none
     * @param retryable the number of checks with an error code; 0 until the job has finished
     * @param retryKey prevents a second job if the retry is submitted twice
     */
    public record Job(
            JobSummary summary,
            LineQuery query,
            List<String> errors,
            @Nullable ResultTable table,
            Map<String, String> fields,
            ResultFindings findings,
            List<Chart> charts,
            ResultValues values,
            List<EarlierJob> earlier,
            Map<String, String> options,
            @Nullable PolicyNote policy,
            int retryable,
            String retryKey) {

        /** The number of lines of the files; empty for all. */
        public String fileLines() {
            return table == null || !query.filtered()
                    ? ""
                    : " (" + (table.matches() == 1 ? "1 line" : table.matches() + " lines") + ")";
        }

        /** Whether the table is longer than a page. */
        boolean large() {
            return table != null && query.unpaged() && table.paged();
        }

        /** The query string of the files. */
        public String fileLink() {
            return table == null ? "" : query.fileLink();
        }
    }

    private void show(RoutingContext ctx, AuthenticatedUser user, JobMessage.JobSnapshot job) {
        Future<Job> loaded = earlierJobs(user.account().id(), job).compose(earlier -> view(ctx, user, job, earlier));
        handle(ctx, loaded, view -> {
            PageInfo page = PageInfo.unlisted(job.name(), "Progress and results of a job.", "bulk")
                    .withScripts("job.js")
                    .withUser(user.account().email());
            largePages.show(ctx, view.errors().isEmpty() ? 200 : 422, page, "job", view, view.large());
        });
    }

    /**
     * The parts of the page that change while the job runs; 204 if they have not changed. The page polls, because any
     * node can respond. A permanent connection would have to be restored on another node.
     */
    private void live(RoutingContext ctx, AuthenticatedUser user, JobMessage.JobSnapshot job) {
        JobSummary summary = JobSummary.of(job, modules, clock.instant());
        if (summary.revision().equals(ctx.queryParams().get("seen"))) {
            ctx.response()
                    .setStatusCode(204)
                    .putHeader("Cache-Control", "private, no-cache")
                    .end();
            return;
        }
        List<Problem.Fault> faults = LineQuery.of(ctx.queryParams()).faults(job, description(job));
        if (!faults.isEmpty()) {
            JobsPage.showProblem(ctx, pages, Problem.invalidParameters(faults));
            return;
        }
        PageInfo page =
                PageInfo.unlisted("", "", "bulk").withUser(user.account().email());
        handle(
                ctx,
                view(ctx, user, job, List.of()),
                view -> largePages.show(ctx, 200, page, "joblive", view, view.large()));
    }

    /**
     * A job with which a later one can be compared.
     *
     * @param label its name, number of lines and creation
     */
    public record EarlierJob(String token, String label) {
        static EarlierJob of(JobMessage.JobSnapshot job) {
            return new EarlierJob(
                    job.token(),
                    "%s · %s · %s"
                            .formatted(
                                    DisplayText.plain(job.name()),
                                    job.total() == 1 ? "1 line" : job.total() + " lines",
                                    QuantityText.time(job.createdAt())));
        }
    }

    /** The last earlier jobs of the module: those with the same name first, then the newest first. */
    private Future<List<EarlierJob>> earlierJobs(long account, JobMessage.JobSnapshot job) {
        return jobs.list(account, MAX_LISTED, PageCursor.afterJob(job.token())).map(page -> page.jobs().stream()
                .filter(other -> other.module().equals(job.module()))
                .sorted(Comparator.comparing(other -> !other.name().equals(job.name())))
                .limit(MAX_EARLIER)
                .map(EarlierJob::of)
                .toList());
    }

    private Future<Job> view(
            RoutingContext ctx, AuthenticatedUser user, JobMessage.JobSnapshot job, List<EarlierJob> earlier) {
        LineQuery query = LineQuery.of(ctx.queryParams());
        ModuleDescription module = description(job);
        List<String> errors =
                query.faults(job, module).stream().map(Problem.Fault::detail).toList();
        ResultColumns fields = columns.getOrDefault(job.module(), NO_COLUMNS);
        ResultColumns selected = module == null || !errors.isEmpty()
                ? fields
                : fields.withFields(module, query.selection().fields());
        Future<ResultValues> values = summaries.read(
                job, module, () -> jobs.portfolio().summary(user.account().id(), job, LineFilter.NONE, null));
        return jobs.evaluation(ctx, job, query.policy())
                .compose(evaluation -> reader.read(job, selected.names(), evaluation)
                        .compose(results -> values.map(read -> {
                            List<ResultRow> rows = results.rows();
                            Instant now = clock.instant();
                            JobSummary summary = JobSummary.of(job, modules, now);
                            if (evaluation != null) {
                                summary = summary.withVerdicts(rows);
                            }
                            return new Job(
                                    summary,
                                    query,
                                    errors,
                                    errors.isEmpty() ? ResultTable.of(rows, query, selected) : null,
                                    module == null ? Map.of() : titles(module),
                                    results.findings(),
                                    job.done() == 0 ? List.of() : ResultCharts.of(summary, query, fields, rows, now),
                                    read,
                                    earlier,
                                    optionsByTitle(module, job.options()),
                                    PolicyNote.of(job, query.policy(), evaluation, other -> query.with(other)
                                            .link()),
                                    summary.finished()
                                            ? (int) rows.stream()
                                                    .filter(ResultRow::retryable)
                                                    .count()
                                            : 0,
                                    SubmissionKey.generate());
                        })));
    }

    /** The titles of the fields, by name. A title that an earlier field has is followed by the name. */
    static Map<String, String> titles(ModuleDescription module) {
        Map<String, String> titles = new LinkedHashMap<>();
        for (FieldDescription field : module.fields()) {
            String title = field.title();
            titles.put(field.name(), titles.containsValue(title) ? title + " (" + field.name() + ")" : title);
        }
        return titles;
    }

    static Map<String, String> optionsByTitle(@Nullable ModuleDescription module, Map<String, Object> options) {
        Map<String, String> titles = new LinkedHashMap<>();
        new TreeMap<>(options).forEach((name, value) -> {
            var option = name.equals(ModuleDescription.FRESH.name())
                    ? ModuleDescription.FRESH
                    : module == null ? null : module.option(name);
            titles.put(option == null ? name : option.title(), DisplayText.plain(OptionField.text(value)));
        });
        return titles;
    }

    private void cancel(RoutingContext ctx, AuthenticatedUser user) {
        handle(ctx, jobs.cancel(user.account().id(), token(ctx)), job -> pages.redirect(ctx, path(job.token())));
    }

    /**
     * Creates a job from the checks with an error code. It does not use cached results, because these have the same
     * errors.
     */
    private void retry(RoutingContext ctx, AuthenticatedUser user, String submissionKey) {
        long account = user.account().id();
        Future<JobMessage.JobSnapshot> created = jobs.read(account, token(ctx))
                .compose(job -> retry(job, account, SubmissionKey.orGenerated(submissionKey)));
        handle(ctx, created, next -> pages.redirect(ctx, path(next.token())));
    }

    private Future<JobMessage.JobSnapshot> retry(JobMessage.JobSnapshot job, long account, String submissionKey) {
        ResultColumns fields = columns.getOrDefault(job.module(), NO_COLUMNS);
        return reader.read(job, fields.names(), null).compose(results -> {
            List<String> inputs = results.rows().stream()
                    .filter(ResultRow::retryable)
                    .map(row -> row.line().input())
                    .toList();
            if (inputs.isEmpty()) {
                return Future.succeededFuture(job);
            }
            Map<String, Object> options = new HashMap<>(job.options());
            options.put(ModuleDescription.FRESH.name(), true);
            return jobs.create(
                    account,
                    new PageJobService.JobParameters(
                            JobName.ofRetry(job.name(), inputs.size()),
                            job.module(),
                            inputs,
                            options,
                            job.defaultPolicy()),
                    submissionKey);
        });
    }
}
