package dev.plumbline.http.web;

import dev.plumbline.account.PageKeyStore;
import dev.plumbline.bus.MessageBus;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.http.ApiContract;
import dev.plumbline.http.RequestId;
import dev.plumbline.http.ResponseBodies;
import dev.plumbline.http.api.account.AccountService;
import dev.plumbline.http.api.instant.InstantCheckService;
import dev.plumbline.http.api.job.PageJobService;
import dev.plumbline.http.body.RequestBodyReader;
import dev.plumbline.http.problem.ProblemResponder;
import dev.plumbline.http.server.PageRoutes;
import dev.plumbline.http.web.account.AccountAccess;
import dev.plumbline.http.web.account.AccountPages;
import dev.plumbline.http.web.account.KeyPages;
import dev.plumbline.http.web.account.SignInPages;
import dev.plumbline.http.web.docs.DocsPage;
import dev.plumbline.http.web.job.BulkPage;
import dev.plumbline.http.web.job.JobLinePage;
import dev.plumbline.http.web.job.JobPage;
import dev.plumbline.http.web.job.JobsPage;
import dev.plumbline.http.web.job.RecheckPage;
import dev.plumbline.http.web.layout.DisplayedLimits;
import dev.plumbline.http.web.layout.PageRenderer;
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

    /**
     * What the pages need.
     *
     * @param uploadTimeout for receiving a bulk form
     * @param keys the hidden API keys under which the pages create jobs
     */
    public record Dependencies(
            PageRenderer pages,
            ProblemResponder problems,
            ModuleCatalogue modules,
            InstantCheckService checks,
            AccountService accounts,
            ApiContract contract,
            RequestBodyReader bodies,
            MessageBus bus,
            DisplayedLimits limits,
            Clock clock,
            Duration uploadTimeout,
            PageJobService jobs,
            PageKeyStore keys) {}

    public WebRoutes(Dependencies with) {
        AccountAccess access = new AccountAccess(
                with.pages(),
                with.accounts(),
                with.bodies(),
                with.jobs().schema().maxItems());
        AccountPages account = new AccountPages(
                with.pages(),
                with.accounts(),
                with.contract(),
                with.bodies(),
                with.bus(),
                with.limits(),
                with.clock(),
                access);
        this.pages = List.of(
                with.pages().site().assets().routes(with.problems()),
                routes -> routes.get("/robots.txt", "robots", WebRoutes::robotsTxt),
                new HomePage(with.pages(), with.problems(), with.modules(), with.limits()),
                new ToolPages(with.pages(), with.problems(), with.modules()),
                new ReportPage(
                        with.pages(),
                        with.problems(),
                        with.modules(),
                        with.checks(),
                        with.limits(),
                        with.clock(),
                        access),
                new SignInPages(with.pages(), with.accounts(), with.contract(), with.bodies(), access),
                account,
                new KeyPages(
                        with.pages(),
                        with.problems(),
                        with.accounts(),
                        with.contract(),
                        with.bodies(),
                        with.clock(),
                        access,
                        account),
                new BulkPage(
                        with.pages(),
                        with.modules(),
                        with.bodies(),
                        with.uploadTimeout(),
                        with.jobs(),
                        with.keys(),
                        access),
                new JobsPage(with.pages(), with.modules(), with.clock(), with.jobs(), access),
                new JobPage(
                        with.pages(), with.modules(), with.bodies(), with.clock(), with.jobs(), with.keys(), access),
                new JobLinePage(with.pages(), with.modules(), with.clock(), with.jobs(), access),
                new RecheckPage(
                        with.pages(), with.problems(), with.modules(), with.checks(), with.jobs(), with.keys(), access),
                new DocsPage(with.pages(), with.problems(), with.contract(), with.limits()));
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
