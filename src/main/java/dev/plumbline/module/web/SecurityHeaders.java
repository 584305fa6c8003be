package dev.plumbline.module.web;

import com.google.auto.service.AutoService;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.Evaluation;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.ModuleDescription;
import dev.plumbline.check.Options;
import dev.plumbline.check.Target;
import dev.plumbline.probe.http.HttpExchange;
import dev.plumbline.probe.http.HttpProbe;
import dev.plumbline.probe.http.RedirectTrace;
import io.vertx.core.Future;
import java.util.List;
import java.util.Map;

/** How well a page's headers ask browsers to protect its visitors. */
@AutoService(ModuleDefinition.class)
public final class SecurityHeaders implements ModuleDefinition<RedirectTrace> {
    @Override
    public ModuleDescription description() {
        return SecurityHeadersDescription.DESCRIPTION;
    }

    @Override
    public Future<RedirectTrace> collect(Target target, CheckContext context) {
        return context.probe(HttpProbe.class).page(context, (Target.Url) target);
    }

    @Override
    public Evaluation evaluate(RedirectTrace journey, Options options) {
        HttpExchange page = journey.page();
        return page == null
                ? new Evaluation(Map.of(), List.of(), journey.error())
                : RedirectFindings.told(journey, new SecurityHeadersEvaluation(page).judgement());
    }
}
