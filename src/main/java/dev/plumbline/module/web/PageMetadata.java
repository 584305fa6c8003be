package dev.plumbline.module.web;

import com.google.auto.service.AutoService;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckModule;
import dev.plumbline.check.Description;
import dev.plumbline.check.Judgement;
import dev.plumbline.check.Options;
import dev.plumbline.check.Target;
import dev.plumbline.probe.HttpExchange;
import dev.plumbline.probe.HttpJourney;
import dev.plumbline.probe.HttpProbe;
import io.vertx.core.Future;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a page says of itself to search engines, browsers and those who share it. */
@AutoService(CheckModule.class)
public final class PageMetadata implements CheckModule<PageMetadata.Evidence> {

  /**
   * What was seen.
   *
   * @param head null where there is no web page
   */
  public record Evidence(HttpJourney journey, @Nullable PageHead head) {}

  @Override
  public Description description() {
    return PageMetadataDescription.DESCRIPTION;
  }

  @Override
  public Future<Evidence> collect(Target target, CheckContext context) {
    return context
        .probe(HttpProbe.class)
        .page(context, (Target.Url) target)
        .compose(
            journey -> {
              HttpExchange page = journey.page();
              return page == null || !isHtml(page)
                  ? Future.succeededFuture(new Evidence(journey, null))
                  : context.aside(() -> new Evidence(journey, head(page)));
            });
  }

  @Override
  public Judgement judge(Evidence evidence, Options options) {
    HttpExchange page = evidence.journey().page();
    return page == null
        ? new Judgement(Map.of(), List.of(), evidence.journey().error())
        : new PageMetadataJudgement(page, evidence.head()).judgement(evidence.journey().error());
  }

  static PageHead head(HttpExchange page) {
    return PageHead.of(
        page.content(HttpProbe.PAGE_BYTES).bytes(), page.headers().first("content-type"));
  }

  static boolean isHtml(HttpExchange page) {
    String type = page.headers().first("content-type");
    return type == null || type.toLowerCase(Locale.ROOT).contains("html");
  }
}
