package dev.plumbline.http.web;

import dev.plumbline.bus.MessageBus;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.http.ApiContract;
import dev.plumbline.http.RequestId;
import dev.plumbline.http.ResponseBodies;
import dev.plumbline.http.api.account.AccountService;
import dev.plumbline.http.api.instant.InstantCheckService;
import dev.plumbline.http.api.job.PageJobService;
import dev.plumbline.http.api.policy.PolicyService;
import dev.plumbline.http.api.share.SharedResultService;
import dev.plumbline.http.body.RequestBodyReader;
import dev.plumbline.http.problem.ProblemResponder;
import dev.plumbline.http.server.PageRoutes;
import dev.plumbline.http.web.account.AccountAccess;
import dev.plumbline.http.web.account.AccountPages;
import dev.plumbline.http.web.account.KeyPages;
import dev.plumbline.http.web.account.SignInPages;
import dev.plumbline.http.web.docs.DocsPage;
import dev.plumbline.http.web.job.BulkPage;
import dev.plumbline.http.web.job.ComparisonPage;
import dev.plumbline.http.web.job.JobLinePage;
import dev.plumbline.http.web.job.JobPage;
import dev.plumbline.http.web.job.JobsPage;
import dev.plumbline.http.web.job.RecheckPage;
import dev.plumbline.http.web.job.SharedResultPages;
import dev.plumbline.http.web.layout.DisplayedLimits;
import dev.plumbline.http.web.layout.EnabledInterfaces;
import dev.plumbline.http.web.layout.PageRenderer;
import dev.plumbline.http.web.policy.PolicyPages;
import dev.plumbline.http.web.report.ReportPage;
import dev.plumbline.http.web.tool.HomePage;
import dev.plumbline.http.web.tool.ToolPages;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.RoutingContext;
import java.time.Clock;
import java.time.Duration;
import java.util.List;

/** The routes of all web pages. */
public final class WebRoutes implements PageRoutes.Pages {
    /** Keeps crawlers from reports, as each of them would run a check (RFC 9309). */
    private static final Buffer ROBOTS_TXT =
            Buffer.buffer("User-agent: *\nDisallow: /check/\nDisallow: /api/v1/instant/\n");

    private final List<PageRoutes.Pages> pages;

    /** @param uploadTimeout for receiving a bulk form */
    public WebRoutes(
            PageRenderer pages,
            ProblemResponder problems,
            ModuleCatalogue modules,
            InstantCheckService checks,
            AccountService accounts,
            ApiContract contract,
            RequestBodyReader bodies,
            MessageBus bus,
            DisplayedLimits limits,
            EnabledInterfaces interfaces,
            Clock clock,
            Duration uploadTimeout,
            PageJobService jobs,
            SharedResultService shared,
            PolicyService policies) {
        AccountAccess access =
                new AccountAccess(pages, accounts, bodies, jobs.schema().maxItems());
        AccountPages account = new AccountPages(pages, accounts, contract, bodies, bus, limits, clock, access);
        this.pages = List.of(
                pages.site().assets().routes(problems),
                routes -> routes.get("/robots.txt", "robots", WebRoutes::robotsTxt),
                new HomePage(pages, problems, modules, limits),
                new ToolPages(pages, problems, modules),
                new ReportPage(pages, problems, modules, checks, limits, clock, access, policies),
                new PolicyPages(pages, policies),
                new SignInPages(pages, accounts, contract, bodies, access),
                account,
                new KeyPages(pages, problems, accounts, contract, bodies, clock, access, account),
                new BulkPage(pages, modules, bodies, uploadTimeout, jobs, access, limits),
                new JobsPage(pages, modules, clock, jobs, access),
                new JobPage(pages, modules, bodies, clock, jobs, access),
                new ComparisonPage(pages, modules, clock, jobs, access),
                new JobLinePage(pages, modules, clock, jobs, access),
                new SharedResultPages(pages, modules, clock, jobs, shared, access),
                new RecheckPage(pages, problems, modules, checks, jobs, access),
                new DocsPage(pages, problems, contract, limits, interfaces));
    }

    private static void robotsTxt(RoutingContext ctx) {
        ctx.response()
                .putHeader("Content-Type", "text/plain; charset=utf-8")
                .putHeader("Cache-Control", "public, max-age=86400")
                .putHeader("X-Content-Type-Options", "nosniff")
                .putHeader(RequestId.HEADER, RequestId.of(ctx));
        ResponseBodies.end(ctx, ROBOTS_TXT);
    }

    @Override
    public void mount(PageRoutes routes) {
        pages.forEach(page -> page.mount(routes));
    }
}
