package dev.plumbline.http.web.job;

import dev.plumbline.account.AuthenticatedUser;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.http.api.job.PageJobService;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.server.PageRoutes;
import dev.plumbline.http.web.WebRoutes;
import dev.plumbline.http.web.account.AccountAccess;
import dev.plumbline.http.web.layout.PageInfo;
import dev.plumbline.http.web.layout.PageRenderer;
import dev.plumbline.http.web.layout.ProblemView;
import io.vertx.ext.web.RoutingContext;
import java.time.Clock;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code /jobs}: all that an account has, newest first. */
public final class JobsPage implements PageRoutes.Pages {
    static final String PATH = "/jobs";
    private static final int PAGE_JOBS = 20;
    private static final List<ProblemView.LinkView> WAYS = List.of(
            new ProblemView.LinkView(PATH, "Your jobs"), new ProblemView.LinkView(BulkPage.PATH, "New bulk check"));

    private final PageRenderer pages;
    private final ModuleCatalogue modules;
    private final AccountAccess members;
    private final PageJobService jobs;
    private final Clock clock;

    public JobsPage(WebRoutes.Dependencies needs) {
        this.pages = needs.pages();
        this.modules = needs.modules();
        this.members = new AccountAccess(needs);
        this.jobs = needs.jobs();
        this.clock = needs.clock();
    }

    @Override
    public void mount(PageRoutes routes) {
        routes.get(PATH, "jobs", ctx -> members.pro(ctx, PATH, who -> list(ctx, who)));
    }

    /**
     * Some jobs.
     *
     * @param first whether there are none before them
     * @param next the path of those behind them; null if there are none
     */
    public record Jobs(List<JobSummary> jobs, boolean first, @Nullable String next) {}

    private void list(RoutingContext ctx, AuthenticatedUser who) {
        String cursor = ctx.queryParams().get("cursor");
        jobs.list(who.account().id(), PAGE_JOBS, cursor).onComplete((found, failure) -> {
            try {
                if (failure != null) {
                    fail(ctx, pages, failure);
                } else {
                    show(ctx, who, cursor == null, found);
                }
            } catch (RuntimeException fault) {
                ctx.fail(fault);
            }
        });
    }

    private void show(RoutingContext ctx, AuthenticatedUser who, boolean first, PageJobService.JobsPage found) {
        PageInfo page = PageInfo.unlisted("Jobs", "All bulk checks of this account.", "bulk")
                .of(who.account().email());
        pages.show(
                ctx,
                page,
                "jobs",
                new Jobs(
                        found.jobs().stream()
                                .map(job -> JobSummary.of(job, modules, clock.instant()))
                                .toList(),
                        first,
                        found.next() == null ? null : PATH + "?cursor=" + found.next()));
    }

    /** Answers why there is nothing to show, in words for people, and leads to what there is. */
    static void fail(RoutingContext ctx, PageRenderer pages, Throwable cause) {
        Problem problem = PageJobService.problem(cause);
        if (problem == null) {
            ctx.fail(cause);
            return;
        }
        pages.show(
                ctx,
                switch (problem.code()) {
                    case "no-such-job" ->
                        Problem.of(
                                404,
                                problem.code(),
                                problem.title(),
                                "Your account has no job with this address. There never was one if the address was"
                                        + " copied in part; another account's is shown to that account only; and one"
                                        + " that ended long ago has been removed. The list has all that your account"
                                        + " has.");
                    case "job-expired" ->
                        Problem.of(
                                410,
                                problem.code(),
                                problem.title(),
                                "The job has ended, and its results were kept as long as they are kept here."
                                        + " Create it again to have new ones.");
                    default -> problem;
                },
                "bulk",
                WAYS);
    }
}
