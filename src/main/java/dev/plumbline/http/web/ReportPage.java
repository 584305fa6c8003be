package dev.plumbline.http.web;

import dev.plumbline.check.Description;
import dev.plumbline.check.ReadableName;
import dev.plumbline.http.Bodies;
import dev.plumbline.http.PageRoutes;
import dev.plumbline.http.Problem;
import dev.plumbline.http.RawTarget;
import dev.plumbline.http.api.InstantCalls;
import dev.plumbline.instant.InstantOutcome;
import io.vertx.core.Future;
import io.vertx.ext.web.RoutingContext;
import java.time.Clock;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * {@code /check/{module}/{target}}: the report, and {@code /check/{module}?target=…}, where forms
 * are sent, which leads to it; {@code /quota}, what is left of fresh checks. The check is run as
 * the API runs it, but for navigations alone.
 */
public final class ReportPage implements PageRoutes.Pages {
  private final Pages pages;
  private final ToolOfPath tool;
  private final InstantCalls calls;
  private final ReportWriter writer;
  private final ReportCache cache;

  ReportPage(Website.Needs needs) {
    this.pages = needs.pages();
    this.tool = new ToolOfPath(needs.modules(), needs.problems());
    this.calls = needs.calls();
    Clock clock = needs.clock();
    this.writer = new ReportWriter(pages.site().publicUrl(), clock);
    this.cache = new ReportCache(clock);
  }

  @Override
  public void mount(PageRoutes routes) {
    routes.get("/check/:module", "form", this::sent);
    routes.get("/check/:module/:target", "report", this::report);
    routes.get("/quota", "quota", this::quota);
  }

  /** What the reader has left, for a report that has expired while it was read. */
  private void quota(RoutingContext ctx) {
    calls
        .left(ctx)
        .onSuccess(
            left -> {
              Page page = Page.unlisted("Fresh checks", "What is left of them.", "check");
              pages.show(ctx, page, "quota", ReportWriter.left(left));
            })
        .onFailure(ctx::fail);
  }

  private void sent(RoutingContext ctx) {
    Description module = tool.find(ctx);
    if (module == null) {
      return;
    }
    Map<String, List<String>> sent = parameters(ctx);
    List<String> targets = sent.getOrDefault("target", List.of());
    String target = targets.isEmpty() ? "" : targets.get(0).strip();
    pages.redirect(
        ctx,
        target.isEmpty()
            ? "/tools/" + module.module()
            : Links.report(module.module(), target, OptionField.asked(module, sent)));
  }

  private void report(RoutingContext ctx) {
    boolean anonymous = !pages.carriesSession(ctx);
    ReportCache.Rendered known = anonymous ? cache.find(RawTarget.asTyped(ctx)) : null;
    if (known != null) {
      cache.send(pages, ctx, known);
      return;
    }
    Description module = tool.find(ctx);
    if (module == null) {
      return;
    }
    String target = RawTarget.decoded(ctx.request().path());
    boolean mayRun = Navigation.isOne(ctx.request(), Bodies.headOnly(ctx));
    Future<InstantOutcome> outcome =
        mayRun
            ? calls.check(ctx, module.module(), target)
            : calls.look(ctx, module.module(), target);
    outcome
        .onSuccess(
            ended -> {
              try {
                answer(ctx, module, target, ended);
              } catch (RuntimeException fault) {
                ctx.fail(fault);
              }
            })
        .onFailure(ctx::fail);
  }

  private void answer(
      RoutingContext ctx, Description module, String target, InstantOutcome outcome) {
    Map<String, String> asked = OptionField.asked(module, parameters(ctx));
    if (outcome instanceof InstantOutcome.Answered answered) {
      InstantCalls.tellQuota(ctx, answered);
      Report report = writer.write(module, answered, asked);
      Page page =
          Page.unlisted(titled(module, report.target()), report.summary(), "check")
              .at(report.path());
      boolean anonymous = !pages.carriesSession(ctx);
      byte[] html = pages.render(page, !anonymous, "report", report);
      if (anonymous && !answered.fresh()) {
        cache.send(
            pages,
            ctx,
            cache.put(
                RawTarget.asTyped(ctx),
                answered.answer().checkedAt(),
                answered.answer().expiresAt(),
                html));
      } else {
        pages.send(ctx, 200, html);
      }
      return;
    }
    CheckForm form = CheckForm.of(module, target, asked);
    ReadableName name = ReadableName.of(target);
    Page page = Page.unlisted(titled(module, name), module.summary(), "check");
    if (outcome instanceof InstantOutcome.NotKnown) {
      String path = Links.report(module.module(), target, asked);
      pages.show(ctx, page.at(path), "unchecked", new Unchecked(form, name, path, null));
      return;
    }
    Problem problem = InstantCalls.problem(ctx, outcome);
    problem.headers().forEach(ctx.response()::putHeader);
    pages.show(ctx, problem.status(), page, "unchecked", new Unchecked(form, name, "", problem));
  }

  /**
   * There is no result.
   *
   * @param path where it would be
   * @param problem why not; null if nobody has asked for it yet
   */
  public record Unchecked(
      CheckForm form, ReadableName target, String path, @Nullable Problem problem) {}

  private static String titled(Description module, ReadableName target) {
    return module.title() + " of " + Text.plain(target.toString());
  }

  private static Map<String, List<String>> parameters(RoutingContext ctx) {
    Map<String, List<String>> parameters = new LinkedHashMap<>();
    ctx.queryParams().names().forEach(name -> parameters.put(name, ctx.queryParams().getAll(name)));
    return parameters;
  }
}
