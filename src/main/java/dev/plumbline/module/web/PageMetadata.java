package dev.plumbline.module.web;

import com.google.auto.service.AutoService;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
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
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a page says of itself to search engines, browsers and those who share it. */
@AutoService(ModuleDefinition.class)
public final class PageMetadata implements ModuleDefinition<PageMetadata.Evidence> {

    /**
     * What was seen.
     *
     * @param head null where there is no web page
     */
    public record Evidence(RedirectTrace journey, @Nullable HtmlHead head) {}

    @Override
    public ModuleDescription description() {
        return PageMetadataDescription.DESCRIPTION;
    }

    @Override
    public Future<Evidence> collect(Target target, CheckContext context) {
        return context.probe(HttpProbe.class).page(context, (Target.Url) target).compose(journey -> {
            HttpExchange page = journey.page();
            return page == null || !mayBeHtml(page)
                    ? Future.succeededFuture(new Evidence(journey, null))
                    : context.executeBlocking(() -> new Evidence(journey, head(page)));
        });
    }

    @Override
    public Evaluation evaluate(Evidence evidence, Options options) {
        HttpExchange page = evidence.journey().page();
        return page == null
                ? new Evaluation(Map.of(), List.of(), evidence.journey().error())
                : RedirectFindings.told(
                        evidence.journey(),
                        new PageMetadataEvaluation(page, evidence.head())
                                .judgement(evidence.journey().error()));
    }

    /**
     * What the page says of itself; null where it is empty, or neither is called HTML nor begins like
     * it.
     */
    static @Nullable HtmlHead head(HttpExchange page) throws CheckFailure {
        byte[] bytes = page.content(HttpProbe.PAGE_BYTES).bytes();
        String type = page.headers().first("content-type");
        return isPage(bytes, type != null) ? HtmlHead.of(bytes, type) : null;
    }

    /** What calls itself HTML is shown as a page if it holds anything, without markup too. */
    private static boolean isPage(byte[] bytes, boolean typed) {
        for (byte b : bytes) {
            if (!mayComeBeforeMarkup(b)) {
                return typed || b == '<';
            }
        }
        return false;
    }

    /** White space, a byte order mark, and the empty half of a character in UTF-16. */
    private static boolean mayComeBeforeMarkup(byte b) {
        return b >= 0 && b <= ' ' || "\u00ef\u00bb\u00bf\u00fe\u00ff".indexOf(b & 0xff) >= 0;
    }

    /** Whether its type lets it be a web page. */
    static boolean mayBeHtml(HttpExchange page) {
        String type = page.headers().first("content-type");
        return type == null || type.toLowerCase(Locale.ROOT).contains("html");
    }
}
