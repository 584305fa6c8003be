package dev.plumbline.http.web.job;

import dev.plumbline.account.AuthenticatedUser;
import dev.plumbline.bus.JobMessage;
import dev.plumbline.http.api.job.PageJobService;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.RequestFutures;
import dev.plumbline.http.web.layout.PageInfo;
import io.vertx.ext.web.RoutingContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * The pages for a list with more targets than a job can have: the number of jobs that it makes, which the user
 * confirms, and the created jobs.
 */
public final class JobListPage {
    /** The action of the form that confirms the jobs. */
    static final String CREATE = "create-jobs";

    private final LargePages pages;
    private final PageJobService jobs;

    JobListPage(LargePages pages, PageJobService jobs) {
        this.pages = pages;
        this.jobs = jobs;
    }

    /**
     * A list and its jobs.
     *
     * @param jobs the created jobs; not all if the form has a rejection, and none before the confirmation
     */
    public record View(BulkForm form, TargetPreview preview, List<CreatedJob> jobs) {}

    /**
     * A created job.
     *
     * @param first its first line of the list, from 1
     * @param last its last line of the list
     */
    public record CreatedJob(String path, String name, int first, int last) {
        /** For example "Lines 501 to 1,000". */
        public String lines() {
            return first == last
                    ? String.format(Locale.ROOT, "Line %,d", first)
                    : String.format(Locale.ROOT, "Lines %,d to %,d", first, last);
        }
    }

    /**
     * Validates the list and asks for a confirmation.
     *
     * @param rejected receives the problem of an invalid list
     */
    void confirm(
            RoutingContext ctx,
            AuthenticatedUser user,
            View view,
            PageJobService.JobList list,
            Consumer<Problem> rejected) {
        RequestFutures.handle(ctx, jobs.validate(list), valid -> show(ctx, 200, user, view), rejected);
    }

    /**
     * Creates the jobs and shows them.
     *
     * @param rejected receives the problem of an invalid list
     */
    void create(
            RoutingContext ctx,
            AuthenticatedUser user,
            View view,
            PageJobService.JobList list,
            Consumer<Problem> rejected) {
        BulkForm form = view.form();
        RequestFutures.handle(
                ctx,
                jobs.createAll(user.account().id(), list, form.idempotencyKey()),
                created -> {
                    List<CreatedJob> links = links(created.jobs());
                    Problem problem = created.problem();
                    if (problem == null) {
                        show(ctx, 200, user, new View(form, view.preview(), links));
                        return;
                    }
                    problem.headers().forEach(ctx.response()::putHeader);
                    BulkForm.Rejection why =
                            rejection(problem, links.size(), view.preview().jobs());
                    show(ctx, problem.status(), user, new View(form.rejected(why), view.preview(), links));
                },
                rejected);
    }

    private static List<CreatedJob> links(List<JobMessage.JobSnapshot> jobs) {
        List<CreatedJob> links = new ArrayList<>();
        int first = 1;
        for (JobMessage.JobSnapshot job : jobs) {
            links.add(new CreatedJob(JobPage.path(job.token()), job.name(), first, first + job.total() - 1));
            first += job.total();
        }
        return links;
    }

    private static BulkForm.Rejection rejection(Problem problem, int created, int jobs) {
        String token = PageJobService.tokenOfUnknownOutcome(problem);
        if (created == 0 && token == null) {
            return BulkForm.rejection(problem.detail());
        }
        String reason = token == null
                ? problem.detail()
                : "The database did not respond in time, so it is unknown whether the next job was created.";
        return new BulkForm.Rejection(
                String.format(
                        Locale.ROOT,
                        "%,d of %,d jobs were created. %s Select Create %,d jobs again. Jobs that already exist are"
                                + " not created again.",
                        created,
                        jobs,
                        reason,
                        jobs),
                List.of(),
                token == null ? null : JobPage.path(token));
    }

    private void show(RoutingContext ctx, int status, AuthenticatedUser user, View view) {
        boolean created = view.form().rejection() == null && !view.jobs().isEmpty();
        String jobs = String.format(Locale.ROOT, "%,d jobs", view.preview().jobs());
        PageInfo page = PageInfo.unlisted(created ? jobs + " created" : "Create " + jobs, "", "bulk")
                .withUser(user.account().email());
        pages.show(
                ctx,
                status,
                page,
                created ? "joblistcreated" : "joblistconfirm",
                view,
                view.preview().text());
    }
}
