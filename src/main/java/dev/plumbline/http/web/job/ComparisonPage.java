package dev.plumbline.http.web.job;

import dev.plumbline.account.AuthenticatedUser;
import dev.plumbline.bus.JobMessage;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.http.api.job.ChangeKinds;
import dev.plumbline.http.api.job.JobComparison;
import dev.plumbline.http.api.job.PageJobService;
import dev.plumbline.http.api.job.PortfolioReader;
import dev.plumbline.http.api.job.ResultFormat;
import dev.plumbline.http.api.policy.PolicyParameters;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.ProblemException;
import dev.plumbline.http.server.PageRoutes;
import dev.plumbline.http.web.account.AccountAccess;
import dev.plumbline.http.web.layout.DisplayText;
import dev.plumbline.http.web.layout.Links;
import dev.plumbline.http.web.layout.PageInfo;
import dev.plumbline.http.web.layout.PageRenderer;
import dev.plumbline.http.web.tool.OptionField;
import dev.plumbline.portfolio.ChangeCounts;
import dev.plumbline.portfolio.LineChange.FieldChange;
import dev.plumbline.portfolio.LineChange.Kind;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.sheet.OptionDescription;
import io.vertx.core.Future;
import io.vertx.ext.web.RoutingContext;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** {@code /jobs/{token}/diff?against={token}} and its files: what changed between an earlier job and this one. */
public final class ComparisonPage implements PageRoutes.Pages {
    static final String DIFF = "/diff";

    private static final int PAGE_ROWS = 50;

    /** The most important first. */
    private static final List<Kind> ORDER =
            List.of(Kind.WORSE, Kind.BETTER, Kind.CHANGED, Kind.NEW, Kind.GONE, Kind.UNCHANGED);

    private final PageRenderer pages;
    private final ModuleCatalogue modules;
    private final AccountAccess access;
    private final PageJobService jobs;
    private final Clock clock;

    public ComparisonPage(
            PageRenderer pages, ModuleCatalogue modules, Clock clock, PageJobService jobs, AccountAccess access) {
        this.pages = pages;
        this.modules = modules;
        this.access = access;
        this.jobs = jobs;
        this.clock = clock;
    }

    @Override
    public void mount(PageRoutes routes) {
        String path = JobsPage.PATH + "/:token" + DIFF;
        routes.get(
                path,
                "job-diff",
                ctx -> withQuery(
                        ctx,
                        (user, query) ->
                                JobsPage.handle(ctx, pages, compare(ctx, user, query), view -> show(ctx, user, view))));
        routes.get(path + ".csv", "job-diff-csv", ctx -> send(ctx, ResultFormat.CSV));
        routes.get(path + ".ndjson", "job-diff-ndjson", ctx -> send(ctx, ResultFormat.NDJSON));
        routes.get(path + ".json", "job-diff-json", ctx -> send(ctx, ResultFormat.JSON));
    }

    /**
     * A page of a comparison.
     *
     * @param job the later job
     * @param against the earlier job
     * @param filters the kinds of changes with their counts
     * @param matches the number of changes that the query selects
     * @param incomparable the number of targets that could not be compared
     * @param options the options that differ, in sentences
     * @param policy which policy and expectations are applied to both jobs; null for none
     * @param next the query string of the next page; null on the last page
     */
    public record Comparison(
            JobSummary job,
            JobSummary against,
            ComparisonQuery query,
            List<KindFilter> filters,
            long matches,
            long incomparable,
            List<String> options,
            @Nullable PolicyNote policy,
            List<ChangeRow> rows,
            @Nullable String next) {

        public String path() {
            return job.path() + DIFF;
        }

        /**
         * The path of the file with all changes that the query selects.
         *
         * @param extension {@code .csv}, {@code .ndjson} or {@code .json}
         */
        public String file(String extension) {
            return path() + extension + query.first().link();
        }

        /** The number of changes in the files; empty for all. */
        public String fileChanges() {
            return query.all() ? "" : " (" + (matches == 1 ? "1 target" : matches + " targets") + ")";
        }
    }

    /**
     * A filter of the comparison.
     *
     * @param link the query string
     */
    public record KindFilter(String label, long count, boolean selected, String link) {}

    private void withQuery(RoutingContext ctx, BiConsumer<AuthenticatedUser, ComparisonQuery> next) {
        String token = ctx.pathParam("token");
        List<Problem.Fault> faults = new ArrayList<>();
        PolicyParameters policy = JobsPage.policy(ctx, pages);
        if (policy == null) {
            return;
        }
        ComparisonQuery query = ComparisonQuery.of(token, ctx.queryParams(), policy, faults);
        access.pro(ctx, JobPage.path(Links.encoded(token)) + DIFF + query.link(), user -> {
            if (faults.isEmpty()) {
                next.accept(user, query);
            } else {
                JobsPage.showProblem(ctx, pages, Problem.invalidParameters(faults));
            }
        });
    }

    private void send(RoutingContext ctx, ResultFormat file) {
        PortfolioReader portfolio = jobs.portfolio();
        withQuery(ctx, (user, query) -> {
            long account = user.account().id();
            JobsPage.handle(
                    ctx,
                    pages,
                    jobs.read(account, query.token()),
                    job -> JobsPage.handle(
                            ctx,
                            pages,
                            portfolio.against(account, job, query.against()),
                            against -> JobsPage.handle(
                                    ctx,
                                    pages,
                                    jobs.evaluation(ctx, job, query.policy()),
                                    evaluation -> portfolio.sendFile(
                                            ctx,
                                            account,
                                            file,
                                            job,
                                            against,
                                            query.kinds(),
                                            query.withVolatile(),
                                            evaluation))));
        });
    }

    private void show(RoutingContext ctx, AuthenticatedUser user, Comparison view) {
        PageInfo page = PageInfo.unlisted(
                        "Comparison of " + view.job.job().name(), "What changed between two jobs.", "bulk")
                .withUser(user.account().email());
        pages.show(ctx, page, "jobdiff", view);
    }

    private Future<Comparison> compare(RoutingContext ctx, AuthenticatedUser user, ComparisonQuery query) {
        long account = user.account().id();
        PortfolioReader portfolio = jobs.portfolio();
        return jobs.read(account, query.token()).compose(job -> portfolio
                .against(account, job, query.against())
                .compose(against -> jobs.evaluation(ctx, job, query.policy()).compose(evaluation -> portfolio
                        .compare(account, job, against, query.withVolatile(), evaluation)
                        .compose(comparison -> read(
                                account,
                                comparison,
                                query,
                                PolicyNote.of(job, query.policy(), evaluation, other -> query.with(other)
                                        .link()))))));
    }

    private Future<Comparison> read(
            long account, JobComparison comparison, ComparisonQuery query, @Nullable PolicyNote policy) {
        JobMessage.JobSnapshot job = comparison.job();
        ModuleDefinition<?> definition = modules.find(job.module());
        if (definition == null || query.from() >= Math.max(1, comparison.size())) {
            return ProblemException.failed(Problem.invalidParameters(List.of(ComparisonQuery.invalidCursor())));
        }
        ModuleDescription module = definition.description();
        return jobs.portfolio()
                .changes(
                        account,
                        comparison,
                        query.kinds(),
                        query.from(),
                        PAGE_ROWS,
                        change -> ChangeRow.of(change, module, modules, query.withVolatile()))
                .map(changes -> view(comparison, module, query, policy, changes));
    }

    private Comparison view(
            JobComparison comparison,
            ModuleDescription module,
            ComparisonQuery query,
            @Nullable PolicyNote policy,
            PortfolioReader.Changes<ChangeRow> changes) {
        ChangeCounts counts = changes.counts();
        Integer next = changes.next();
        return new Comparison(
                JobSummary.of(comparison.job(), modules, clock.instant()),
                JobSummary.of(comparison.against(), modules, clock.instant()),
                query,
                filters(query, counts),
                count(counts, query.kinds()),
                counts.incomparable(),
                comparison.optionsDiffer().stream()
                        .map(option -> sentence(module, option))
                        .toList(),
                policy,
                changes.rows(),
                next == null ? null : query.at(next).link());
    }

    private static List<KindFilter> filters(ComparisonQuery query, ChangeCounts counts) {
        List<KindFilter> filters = new ArrayList<>();
        filters.add(filter("All changes", query, counts, ChangeKinds.CHANGED));
        for (Kind kind : ORDER) {
            filters.add(filter(ChangeRow.label(kind), query, counts, Set.of(kind)));
        }
        return filters;
    }

    private static KindFilter filter(String label, ComparisonQuery query, ChangeCounts counts, Set<Kind> kinds) {
        return new KindFilter(
                label,
                count(counts, kinds),
                query.kinds().equals(kinds),
                query.with(kinds).link());
    }

    private static long count(ChangeCounts counts, Set<Kind> kinds) {
        return kinds.stream().mapToLong(counts::of).sum();
    }

    private static String sentence(ModuleDescription module, FieldChange change) {
        OptionDescription option = module.jobOption(change.name());
        return (option == null ? change.name() : option.title()) + ": " + value(change.againstValue()) + " → "
                + value(change.value());
    }

    private static String value(@Nullable Object value) {
        return value == null ? "not set" : DisplayText.plain(OptionField.text(value));
    }
}
