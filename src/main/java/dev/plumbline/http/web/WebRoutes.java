package dev.plumbline.http.web;

import dev.plumbline.account.PageKeyStore;
import dev.plumbline.bus.MessageBus;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.http.ApiContract;
import dev.plumbline.http.api.account.AccountService;
import dev.plumbline.http.api.instant.InstantCheckService;
import dev.plumbline.http.api.job.PageJobService;
import dev.plumbline.http.body.JsonBody;
import dev.plumbline.http.body.RequestBodyReader;
import dev.plumbline.http.problem.ProblemResponder;
import dev.plumbline.http.server.PageRoutes;
import dev.plumbline.http.web.account.AccountPages;
import dev.plumbline.http.web.account.KeyPages;
import dev.plumbline.http.web.account.SignInPages;
import dev.plumbline.http.web.docs.DocsPage;
import dev.plumbline.http.web.job.BulkPage;
import dev.plumbline.http.web.job.JobPage;
import dev.plumbline.http.web.job.JobsPage;
import dev.plumbline.http.web.layout.AssetRoutes;
import dev.plumbline.http.web.layout.PageRenderer;
import dev.plumbline.http.web.report.ReportPage;
import dev.plumbline.http.web.tool.HomePage;
import dev.plumbline.http.web.tool.ToolPages;
import java.time.Clock;
import java.time.Duration;
import java.util.List;

/** All pages. A page is a class that knows its addresses, and is named here. */
public final class WebRoutes implements PageRoutes.Pages {
    private final List<PageRoutes.Pages> parts;

    /**
     * What pages are made of.
     *
     * @param pages renders and sends them
     * @param modules what they are built from
     * @param patience how long a large form may take to come
     * @param keys under which jobs are created here
     */
    public record Dependencies(
            PageRenderer pages,
            ProblemResponder problems,
            ModuleCatalogue modules,
            InstantCheckService calls,
            AccountService account,
            ApiContract contract,
            RequestBodyReader bodies,
            MessageBus bus,
            Limits limits,
            Clock clock,
            Duration patience,
            PageJobService jobs,
            PageKeyStore keys) {

        /** How the body of an operation has to be. */
        public JsonBody body(String operationId) {
            return new JsonBody(bodies, problems, contract, operationId);
        }
    }

    /**
     * What people are told of limits; 0 for none.
     *
     * @param fresh instant checks of one address in any hour
     * @param jobsOfKey created in any hour
     * @param jobsOfAccount created in any hour
     */
    public record Limits(int fresh, int jobsOfKey, int jobsOfAccount) {}

    public WebRoutes(Dependencies needs) {
        this.parts = List.of(
                new AssetRoutes(needs.pages.site().assets(), needs.problems),
                new RobotsTxtPage(),
                new HomePage(needs),
                new ToolPages(needs),
                new ReportPage(needs),
                new SignInPages(needs),
                new AccountPages(needs),
                new KeyPages(needs),
                new BulkPage(needs),
                new JobsPage(needs),
                new JobPage(needs),
                new DocsPage(needs));
    }

    @Override
    public void mount(PageRoutes routes) {
        parts.forEach(part -> part.mount(routes));
    }
}
