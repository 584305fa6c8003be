package dev.plumbline.http.web.job;

import dev.plumbline.account.AuthenticatedUser;
import dev.plumbline.bus.JobMessage;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.http.api.job.LineState;
import dev.plumbline.http.api.job.PageJobService;
import dev.plumbline.http.api.policy.PolicyParameters;
import dev.plumbline.http.api.policy.ResultEvaluation;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.server.PageRoutes;
import dev.plumbline.http.web.account.AccountAccess;
import dev.plumbline.http.web.layout.DisplayText;
import dev.plumbline.http.web.layout.Links;
import dev.plumbline.http.web.layout.PageInfo;
import dev.plumbline.http.web.layout.PageRenderer;
import dev.plumbline.http.web.layout.ProblemView;
import dev.plumbline.http.web.report.ReportView;
import dev.plumbline.http.web.report.ReportViewBuilder;
import dev.plumbline.http.web.tool.OptionField;
import dev.plumbline.sheet.ModuleDescription;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * {@code /jobs/{token}/lines/{index}}: the result of a line of a job, as a report. An instant check of the target could
 * have another result, and would use the quota.
 */
public final class JobLinePage implements PageRoutes.Pages {
    static final String LINES = "/lines/";

    private final PageRenderer pages;
    private final ModuleCatalogue modules;
    private final AccountAccess access;
    private final PageJobService jobs;
    private final ReportViewBuilder reports;
    private final Clock clock;

    public JobLinePage(
            PageRenderer pages, ModuleCatalogue modules, Clock clock, PageJobService jobs, AccountAccess access) {
        this.pages = pages;
        this.modules = modules;
        this.access = access;
        this.jobs = jobs;
        this.clock = clock;
        this.reports = new ReportViewBuilder(pages.site().publicUrl(), modules, clock, false);
    }

    @Override
    public void mount(PageRoutes routes) {
        routes.get(JobsPage.PATH + "/:token" + LINES + ":index", "job-line", this::open);
    }

    /**
     * A line.
     *
     * @param index from 0
     * @param state the state in the API
     * @param report null without a result, or if the module of the job does not exist
     * @param instantPath the path of the report of the same check; null without a report or for an invalid target
     * @param policy which policy and expectations are applied; null for none
     * @param query the query string with the policy and the expectations of the request
     */
    public record Line(
            JobSummary summary,
            int index,
            DisplayText input,
            LineState state,
            @Nullable ReportView report,
            @Nullable String instantPath,
            @Nullable PolicyNote policy,
            String query) {

        /** The reason why no report is shown. */
        public String explanation() {
            return switch (state) {
                case PENDING -> "This line is pending. It has not been checked yet.";
                case RUNNING -> "This line is running.";
                case CANCELLED -> "The job was cancelled before this line was checked.";
                case DONE ->
                    "The module `" + summary.job().module() + "` no longer exists. Download the results of"
                            + " the job as CSV.";
            };
        }

        /** Whether the line will have a report later. */
        public boolean unfinished() {
            return state == LineState.PENDING || state == LineState.RUNNING;
        }

        /** The path of the page of the previous line, or null. */
        public @Nullable String previous() {
            return index == 0 ? null : summary.linePath(index - 1);
        }

        /** The path of the page of the next line, or null. */
        public @Nullable String next() {
            return index + 1 < summary.job().total() ? summary.linePath(index + 1) : null;
        }

        public String path() {
            return summary.linePath(index);
        }
    }

    private void open(RoutingContext ctx) {
        String token = ctx.pathParam("token");
        String index = ctx.pathParam("index");
        PolicyParameters policy = JobsPage.policy(ctx, pages);
        if (policy == null) {
            return;
        }
        String path = JobPage.path(Links.encoded(token)) + LINES + Links.encoded(index) + link(policy);
        access.pro(ctx, path, user -> {
            Future<JobMessage.JobSnapshot> job = jobs.read(user.account().id(), token);
            JobsPage.handle(ctx, pages, job, found -> find(ctx, user, found, index, policy));
        });
    }

    /** The query string of the pages of lines. */
    static String link(PolicyParameters policy) {
        return Links.query(policy.parameters());
    }

    private void find(
            RoutingContext ctx,
            AuthenticatedUser user,
            JobMessage.JobSnapshot job,
            String text,
            PolicyParameters policy) {
        int index = text.matches("0|[1-9][0-9]{0,5}") ? Integer.parseInt(text) : job.total();
        if (index >= job.total()) {
            String jobPath = JobPage.path(job.token());
            pages.show(
                    ctx,
                    Problem.notFound(
                            job.total() == 1
                                    ? "This job has one line with the index 0."
                                    : "This job has lines with the indexes 0 to " + (job.total() - 1) + "."),
                    "bulk",
                    List.of(new ProblemView.PageLink(jobPath, "View the job")));
            return;
        }
        JobsPage.handle(
                ctx,
                pages,
                jobs.evaluation(ctx, job, policy),
                evaluation -> JobsPage.handle(
                        ctx,
                        pages,
                        jobs.line(job, index, evaluation),
                        line -> show(ctx, user, job, line, policy, evaluation)));
    }

    private void show(
            RoutingContext ctx,
            AuthenticatedUser user,
            JobMessage.JobSnapshot job,
            JobMessage.ResultLine line,
            PolicyParameters policy,
            @Nullable ResultEvaluation evaluation) {
        ModuleDefinition<?> module = modules.find(job.module());
        ReportView report = null;
        String instantPath = null;
        if (module != null && line.result() != null) {
            JsonObject result = new JsonObject(Buffer.buffer(line.result()));
            report = reports.build(module.description(), line.input(), result, instantOptions(job), evaluation);
            instantPath = result.getString("target") == null ? null : report.path();
        }
        PageInfo page = PageInfo.unlisted(
                        "Line " + (line.index() + 1) + " of " + job.name(), "The result of a line of a job.", "bulk")
                .withUser(user.account().email());
        pages.show(
                ctx,
                page,
                "jobline",
                new Line(
                        JobSummary.of(job, modules, clock.instant()),
                        line.index(),
                        DisplayText.of(line.input()),
                        LineState.of(job, line),
                        report,
                        instantPath,
                        PolicyNote.of(job, policy, evaluation, JobLinePage::link),
                        link(policy)));
    }

    /** The options of the job that instant checks support, as query parameters. */
    static Map<String, String> instantOptions(JobMessage.JobSnapshot job) {
        Map<String, String> options = new TreeMap<>();
        job.options().forEach((name, value) -> options.put(name, OptionField.text(value)));
        options.remove(ModuleDescription.FRESH.name());
        return options;
    }
}
