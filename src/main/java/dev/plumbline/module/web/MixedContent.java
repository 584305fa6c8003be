package dev.plumbline.module.web;

import static dev.plumbline.sheet.FindingCollector.reportIfAny;

import com.google.auto.service.AutoService;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckModule;
import dev.plumbline.check.RegisteredModule;
import dev.plumbline.module.web.SubresourceCollector.Resource;
import dev.plumbline.module.web.SubresourceCollector.Resources;
import dev.plumbline.module.web.SubresourceCollector.Treatment;
import dev.plumbline.module.web.page.PageFindings;
import dev.plumbline.module.web.page.ParsedPage;
import dev.plumbline.probe.http.HttpExchange;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.Target;
import io.vertx.core.Future;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The resources of a page over HTTPS that its HTML loads over unencrypted HTTP. */
@AutoService(RegisteredModule.class)
public final class MixedContent
        implements CheckModule<ParsedPage<Resources>, MixedContent.Report, MixedContent.Findings> {

    public record Report(boolean https, List<String> active, List<String> passive, boolean upgradeInsecure) {}

    public interface Findings extends PageFindings {
        void plainHttp(Target.Url url);

        void activeMixedContent(int count, List<String> resources);

        void passiveMixedContent(int count, List<String> resources);

        void formInsecure(int count, List<String> urls);

        void upgradedByPolicy(int count, List<String> resources);

        void blockAllObsolete();

        void resourcesTruncated(int count);
    }

    @Override
    public Future<ParsedPage<Resources>> collect(Target target, CheckContext context) {
        return ParsedPage.fetch(context, target, (page, html) -> SubresourceCollector.of(page, html.text()))
                .compose(parsed -> parsed.reserveContent(context, Resources::bytes));
    }

    @Override
    public @Nullable Report evaluate(ParsedPage<Resources> evidence, Options options, Findings findings) {
        HttpExchange page = evidence.trace().page();
        Resources resources = evidence.content();
        findings.error(evidence.trace().error());
        if (page == null) {
            return null;
        }
        boolean https = page.url().secure();
        evidence.reportStatus(page, findings);
        if (!https) {
            findings.plainHttp(page.url());
        }
        evidence.reportContent(page, findings);
        if (resources == null) {
            return new Report(https, List.of(), List.of(), false);
        }
        List<Resource> insecure = https ? resources.resources() : List.of();
        reportResources(insecure, resources, findings);
        return new Report(
                https, urls(insecure, Treatment.BLOCKED), urls(insecure, Treatment.UPGRADED), resources.upgrades());
    }

    private static void reportResources(List<Resource> insecure, Resources resources, Findings findings) {
        List<String> upgraded = insecure.stream()
                .filter(Resource::upgraded)
                .map(MixedContent::description)
                .toList();
        reportIfAny(
                described(insecure, Treatment.BLOCKED), active -> findings.activeMixedContent(active.size(), active));
        reportIfAny(
                described(insecure, Treatment.UPGRADED),
                passive -> findings.passiveMixedContent(passive.size(), passive));
        reportIfAny(urls(insecure, Treatment.FORM), forms -> findings.formInsecure(forms.size(), forms));
        reportIfAny(upgraded, urls -> findings.upgradedByPolicy(urls.size(), urls));
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
