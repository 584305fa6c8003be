package dev.plumbline.http.web;

import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.http.PageRoutes;

/** {@code /}: what to check, and with which tool. */
final class HomePage implements PageRoutes.Pages {
  private final Pages pages;
  private final ModuleCatalogue modules;

  HomePage(Pages pages, ModuleCatalogue modules) {
    this.pages = pages;
    this.modules = modules;
  }

  @Override
  public void mount(PageRoutes routes) {
    routes.get(
        "/",
        "home",
        ctx ->
            pages.show(
                ctx,
                Page.open("", "Checks domains and URLs, one at a time or in bulk.", "check", "/"),
                "home",
                modules.descriptions()));
  }
}
