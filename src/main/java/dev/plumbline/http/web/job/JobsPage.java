package dev.plumbline.http.web.job;

import dev.plumbline.account.AuthenticatedUser;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.http.api.job.PageJobService;
import dev.plumbline.http.api.policy.PolicyParameters;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.ProblemException;
import dev.plumbline.http.problem.RequestFutures;
import dev.plumbline.http.server.PageRoutes;
import dev.plumbline.http.web.account.AccountAccess;
import dev.plumbline.http.web.layout.PageInfo;
import dev.plumbline.http.web.layout.PageRenderer;
import dev.plumbline.http.web.layout.ProblemView;
import io.vertx.core.Future;
import io.vertx.ext.web.RoutingContext;
import java.time.Clock;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** {@code /jobs}: the jobs of the account, newest first. */
public final class JobsPage implements PageRoutes.Pages {
    static final String PATH = "/jobs";
    private static final int PAGE_SIZE = 20;
    private static final List<ProblemView.PageLink> LINKS = List.of(
            new ProblemView.PageLink(PATH, "View your jobs"),
            new ProblemView.PageLink(BulkPage.PATH, "New bulk check"));

    private final PageRenderer pages;
    private final ModuleCatalogue modules;
    private final AccountAccess access;
    private final PageJobService jobs;
    private final Clock clock;

    public JobsPage(
            PageRenderer pages, ModuleCatalogue modules, Clock clock, PageJobService jobs, AccountAccess access) {
        this.pages = pages;
        this.modules = modules;
        this.access = access;
        this.jobs = jobs;
        this.clock = clock;
    }

    @Override
    public void mount(PageRoutes routes) {
        routes.get(PATH, "jobs", ctx -> access.pro(ctx, PATH, user -> list(ctx, user)));
    }

    /**
     * A page of jobs.
     *
     * @param first whether this is the first page
     * @param next the path of the next page, or null
     */
    public record Jobs(List<JobSummary> jobs, boolean first, @Nullable String next) {}

    private void list(RoutingContext ctx, AuthenticatedUser user) {
        String cursor = ctx.queryParams().get("cursor");
        handle(ctx, pages, jobs.list(user.account().id(), PAGE_SIZE, cursor), page -> {
            List<JobSummary> summaries = page.jobs().stream()
                    .map(job -> JobSummary.of(job, modules, clock.instant()))
                    .toList();
            String next = page.next() == null ? null : PATH + "?cursor=" + page.next();
            PageInfo info = PageInfo.unlisted("Jobs", "Jobs of your account.", "bulk")
                    .withUser(user.account().email());
            pages.show(ctx, info, "jobs", new Jobs(summaries, cursor == null, next));
        });
    }

    /** Passes the result to the consumer, or shows the problem of a rejection. */
    static <T extends @Nullable Object> void handle(
            RoutingContext ctx, PageRenderer pages, Future<T> future, Consumer<T> next) {
        RequestFutures.handle(ctx, future, next, problem -> showProblem(ctx, pages, problem));
    }

    /** Returns the policy and the expectations of the query. Returns null if the page has shown a problem with them. */
    static @Nullable PolicyParameters policy(RoutingContext ctx, PageRenderer pages) {
        try {
            return PolicyParameters.of(ctx.queryParams());
        } catch (ProblemException rejected) {
            showProblem(ctx, pages, rejected.problem());
            return null;
        }
    }

    static void showProblem(RoutingContext ctx, PageRenderer pages, Problem problem) {
        pages.show(ctx, forPage(problem), "bulk", links(problem));
    }

    private static List<ProblemView.PageLink> links(Problem problem) {
        String token = PageJobService.tokenOfUnknownOutcome(problem);
        return token == null
                ? LINKS
                : Stream.concat(
                                Stream.of(new ProblemView.PageLink(JobPage.path(token), "Open the job")),
                                LINKS.stream())
                        .toList();
    }

    private static Problem forPage(Problem problem) {
        if (problem.code().equals("no-such-job")) {
            return problem.withDetail("This job does not exist, has expired, or belongs to another account. Check that"
                    + " the URL is complete.");
        }
        return PageJobService.tokenOfUnknownOutcome(problem) == null
                ? problem
                : problem.withDetail(
                        "The database did not respond in time, so it is unknown whether the job was"
                                + " created. Open the job in a few seconds. If the page is not found, the job was not created.");
    }
}
