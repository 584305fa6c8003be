package dev.plumbline.module.web;

import com.google.auto.service.AutoService;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckModule;
import dev.plumbline.check.RegisteredModule;
import dev.plumbline.module.web.SubresourceCollector.Resource;
import dev.plumbline.module.web.SubresourceCollector.Resources;
import dev.plumbline.module.web.SubresourceCollector.Treatment;
import dev.plumbline.module.web.page.HtmlResponse;
import dev.plumbline.probe.http.HttpExchange;
import dev.plumbline.probe.http.HttpProbe;
import dev.plumbline.probe.http.RedirectTrace;
import dev.plumbline.sheet.FindingCollector;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.Target;
import io.vertx.core.Future;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The resources of a page over HTTPS that its HTML loads over unencrypted HTTP. */
@AutoService(RegisteredModule.class)
public final class MixedContent
        implements CheckModule<MixedContent.Evidence, MixedContent.Report, MixedContent.Findings> {

    public record Report(boolean https, List<String> active, List<String> passive, boolean upgradeInsecure) {}

    public interface Findings extends FindingCollector {
        void notAPage(int status, int bytes, String type);

        void errorPage(int status);

        void plainHttp(Target.Url url);

        void activeMixedContent(int count, List<String> resources);

        void passiveMixedContent(int count, List<String> resources);

        void formInsecure(int count, List<String> urls);

        void upgradedByPolicy(int count, List<String> resources);

        void blockAllObsolete();

        void resourcesTruncated(int count);

        void pageTruncated();

        void redirected(Target.Url url);
    }

    /**
     * @param resources null if the response is not an HTML page
     * @param cut whether only a part of the page was read
     */
    public record Evidence(RedirectTrace trace, @Nullable Resources resources, boolean cut) {}

    @Override
    public Future<Evidence> collect(Target target, CheckContext context) {
        return context.probe(HttpProbe.class).page(context, (Target.Url) target).compose(trace -> {
            HttpExchange page = trace.page();
            return page == null
                    ? Future.succeededFuture(new Evidence(trace, null, false))
                    : context.executeBlocking(() -> {
                                HtmlResponse html = HtmlResponse.of(page);
                                return html == null
                                        ? new Evidence(trace, null, false)
                                        : new Evidence(trace, SubresourceCollector.of(page, html.text()), html.cut());
                            })
                            .compose(parsed -> reserveResources(parsed, context));
        });
    }

    /** Releases the memory of the page and reserves that of the resources. */
    private static Future<Evidence> reserveResources(Evidence parsed, CheckContext context) {
        Resources resources = parsed.resources();
        Evidence evidence = new Evidence(parsed.trace().releaseBodies(context), resources, parsed.cut());
        return context.reserve(resources == null ? 0 : resources.bytes()).map(evidence);
    }

    @Override
    public @Nullable Report evaluate(Evidence evidence, Options options, Findings findings) {
        RedirectTrace trace = evidence.trace();
        HttpExchange page = trace.page();
        Resources resources = evidence.resources();
        findings.error(trace.error());
        if (page == null) {
            return null;
        }
        boolean https = page.url().secure();
        if (page.status() >= 400) {
            findings.errorPage(page.status());
        }
        if (trace.hops().size() > 1) {
            findings.redirected(page.url());
        }
        if (!https) {
            findings.plainHttp(page.url());
        }
        if (resources == null) {
            String type = page.headers().first("content-type");
            if (trace.error() == null) {
                findings.notAPage(page.status(), page.body().size(), type == null ? "not set" : type);
            }
            return new Report(https, List.of(), List.of(), false);
        }
        if (trace.error() == null && evidence.cut()) {
            findings.pageTruncated();
        }
        List<Resource> insecure = https ? resources.resources() : List.of();
        reportResources(insecure, resources, findings);
        return new Report(
                https, urls(insecure, Treatment.BLOCKED), urls(insecure, Treatment.UPGRADED), resources.upgrades());
    }

    private static void reportResources(List<Resource> insecure, Resources resources, Findings findings) {
        List<String> active = described(insecure, Treatment.BLOCKED);
        if (!active.isEmpty()) {
            findings.activeMixedContent(active.size(), active);
        }
        List<String> passive = described(insecure, Treatment.UPGRADED);
        if (!passive.isEmpty()) {
            findings.passiveMixedContent(passive.size(), passive);
        }
        List<String> forms = urls(insecure, Treatment.FORM);
        if (!forms.isEmpty()) {
            findings.formInsecure(forms.size(), forms);
        }
        List<String> upgraded = insecure.stream()
                .filter(Resource::upgraded)
                .map(MixedContent::description)
                .toList();
        if (!upgraded.isEmpty()) {
            findings.upgradedByPolicy(upgraded.size(), upgraded);
        }
        if (resources.blocksAll()) {
            findings.blockAllObsolete();
        }
        if (!resources.complete()) {
            findings.resourcesTruncated(resources.count());
        }
    }

    private static List<Resource> selected(List<Resource> insecure, Treatment treatment) {
        return insecure.stream()
                .filter(resource -> resource.treatment() == treatment && !resource.upgraded())
                .toList();
    }

    private static List<String> urls(List<Resource> insecure, Treatment treatment) {
        return selected(insecure, treatment).stream()
                .map(resource -> resource.url().text())
                .toList();
    }

    private static List<String> described(List<Resource> insecure, Treatment treatment) {
        return selected(insecure, treatment).stream()
                .map(MixedContent::description)
                .toList();
    }

    private static String description(Resource resource) {
        return resource.url().text() + " (" + resource.element() + ")";
    }
}
