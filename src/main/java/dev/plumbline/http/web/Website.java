package dev.plumbline.http.web;

import dev.plumbline.account.WebKeyStore;
import dev.plumbline.bus.Bus;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.http.Contract;
import dev.plumbline.http.JsonBody;
import dev.plumbline.http.PageRoutes;
import dev.plumbline.http.Problems;
import dev.plumbline.http.RequestBodies;
import dev.plumbline.http.api.AccountCalls;
import dev.plumbline.http.api.InstantCalls;
import dev.plumbline.http.api.WebJobs;
import java.time.Clock;
import java.time.Duration;
import java.util.List;

/** All pages. A page is a class that knows its addresses, and is named here. */
public final class Website implements PageRoutes.Pages {
  private final List<PageRoutes.Pages> parts;

  /**
   * What pages are made of.
   *
   * @param pages renders and sends them
   * @param modules what they are built from
   * @param patience how long a large form may take to come
   * @param keys under which jobs are created here
   */
  public record Needs(
      Pages pages,
      Problems problems,
      ModuleCatalogue modules,
      InstantCalls calls,
      AccountCalls account,
      Contract contract,
      RequestBodies bodies,
      Bus bus,
      Limits limits,
      Clock clock,
      Duration patience,
      WebJobs jobs,
      WebKeyStore keys) {

    /** How the body of an operation has to be. */
    JsonBody body(String operationId) {
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

  public Website(Needs needs) {
    this.parts =
        List.of(
            new AssetFiles(needs.pages.site().assets(), needs.problems),
            new RobotsTxt(),
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
