package dev.plumbline.http.web;

import dev.plumbline.http.RequestId;
import dev.plumbline.http.ResponseBodies;
import dev.plumbline.http.server.PageRoutes;
import dev.plumbline.http.web.account.AccountPages;
import dev.plumbline.http.web.account.KeyPages;
import dev.plumbline.http.web.account.SignInPages;
import dev.plumbline.http.web.docs.DocsPage;
import dev.plumbline.http.web.job.BulkPage;
import dev.plumbline.http.web.job.JobLinePage;
import dev.plumbline.http.web.job.JobPage;
import dev.plumbline.http.web.job.JobsPage;
import dev.plumbline.http.web.job.RecheckPage;
import dev.plumbline.http.web.layout.PageDependencies;
import dev.plumbline.http.web.report.ReportPage;
import dev.plumbline.http.web.tool.HomePage;
import dev.plumbline.http.web.tool.ToolPages;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.RoutingContext;
import java.util.List;

/** The routes of all web pages. */
public final class WebRoutes implements PageRoutes.Pages {
    /** Keeps crawlers from reports, as each of them would run a check (RFC 9309). */
    private static final Buffer ROBOTS_TXT =
            Buffer.buffer("User-agent: *\nDisallow: /check/\nDisallow: /api/v1/instant/\n");

    private final List<PageRoutes.Pages> pages;

    public WebRoutes(PageDependencies dependencies) {
        AccountPages account = new AccountPages(dependencies);
        this.pages = List.of(
                dependencies.pages().site().assets().routes(dependencies.problems()),
                routes -> routes.get("/robots.txt", "robots", WebRoutes::robotsTxt),
                new HomePage(dependencies),
                new ToolPages(dependencies),
                new ReportPage(dependencies),
                new SignInPages(dependencies),
                account,
                new KeyPages(dependencies, account),
                new BulkPage(dependencies),
                new JobsPage(dependencies),
                new JobPage(dependencies),
                new JobLinePage(dependencies),
                new RecheckPage(dependencies),
                new DocsPage(dependencies));
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
