package dev.plumbline.module.web;

import com.google.auto.service.AutoService;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.Description;
import dev.plumbline.check.Judgement;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.Options;
import dev.plumbline.check.Target;
import dev.plumbline.probe.HttpExchange;
import dev.plumbline.probe.HttpJourney;
import dev.plumbline.probe.HttpProbe;
import io.vertx.core.Future;
import java.util.List;
import java.util.Map;

/** How well a page's headers ask browsers to protect its visitors. */
@AutoService(ModuleDefinition.class)
public final class SecurityHeaders implements ModuleDefinition<HttpJourney> {
  @Override
  public Description description() {
    return SecurityHeadersDescription.DESCRIPTION;
  }

  @Override
  public Future<HttpJourney> collect(Target target, CheckContext context) {
    return context.probe(HttpProbe.class).page(context, (Target.Url) target);
  }

  @Override
  public Judgement judge(HttpJourney journey, Options options) {
    HttpExchange page = journey.page();
    return page == null
        ? new Judgement(Map.of(), List.of(), journey.error())
        : Redirected.told(journey, new SecurityHeadersJudgement(page).judgement());
  }
}
