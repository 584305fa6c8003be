package dev.plumbline.http.web;

import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.http.PageRoutes;
import dev.plumbline.http.Problems;
import dev.plumbline.http.api.InstantCalls;
import java.time.Clock;
import java.util.List;

/** All pages. A page is a class that knows its addresses, and is named here. */
public final class Website implements PageRoutes.Pages {
  private final List<PageRoutes.Pages> parts;

  /**
   * What pages are made of.
   *
   * @param pages renders and sends them
   * @param modules what they are built from
   */
  public record Needs(
      Pages pages, Problems problems, ModuleCatalogue modules, InstantCalls calls, Clock clock) {}

  public Website(Needs needs) {
    this.parts =
        List.of(
            new AssetFiles(needs.pages.site().assets(), needs.problems),
            new RobotsTxt(),
            new HomePage(needs),
            new ToolPages(needs),
            new ReportPage(needs));
  }

  @Override
  public void mount(PageRoutes routes) {
    parts.forEach(part -> part.mount(routes));
  }
}
