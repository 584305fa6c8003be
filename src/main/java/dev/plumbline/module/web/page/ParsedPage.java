package dev.plumbline.module.web.page;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.probe.http.HttpExchange;
import dev.plumbline.probe.http.HttpProbe;
import dev.plumbline.probe.http.RedirectTrace;
import dev.plumbline.target.Target;
import io.vertx.core.Future;
import java.util.function.BiFunction;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * An HTML page and what a module has read from it.
 *
 * @param content null if the response is not an HTML page
 * @param cut whether only a part of the page was read
 */
public record ParsedPage<T>(RedirectTrace trace, @Nullable T content, boolean cut) {

    /** Requests a page and parses it on the CPU pool. */
    public static <T> Future<ParsedPage<T>> fetch(
            CheckContext context, Target target, BiFunction<HttpExchange, HtmlResponse, T> parser) {
        return context.probe(HttpProbe.class).page(context, (Target.Url) target).compose(trace -> {
            HttpExchange page = trace.page();
            return page == null
                    ? Future.succeededFuture(new ParsedPage<T>(trace, null, false))
                    : context.executeBlocking(() -> of(trace, page, parser));
        });
    }

    public static <T> ParsedPage<T> of(
            RedirectTrace trace, HttpExchange page, BiFunction<HttpExchange, HtmlResponse, T> parser)
            throws CheckFailure {
        HtmlResponse html = HtmlResponse.of(page);
        return html == null
                ? new ParsedPage<>(trace, null, false)
                : new ParsedPage<>(trace, parser.apply(page, html), html.cut());
    }

    /** Releases the memory of the page and reserves that of the content. */
    public Future<ParsedPage<T>> reserveContent(CheckContext context, ToIntFunction<T> bytes) {
        ParsedPage<T> released = new ParsedPage<>(trace.releaseBodies(context), content, cut);
        return context.reserve(content == null ? 0 : bytes.applyAsInt(content)).map(released);
    }

    /** Reports an error page and redirects to the page. */
    public void reportStatus(HttpExchange page, PageFindings findings) {
        if (page.status() >= 400) {
            findings.errorPage(page.status());
        }
        if (trace.hops().size() > 1) {
            findings.redirected(page.url());
        }
    }

    /** Reports that the content is missing or incomplete, unless an error is the reason. */
    public void reportContent(HttpExchange page, PageFindings findings) {
        if (trace.error() == null && content == null) {
            reportNotAPage(page, findings);
        } else if (trace.error() == null && cut) {
            findings.pageTruncated();
        }
    }

    public static void reportNotAPage(HttpExchange page, PageFindings findings) {
        String type = page.headers().first("content-type");
        findings.notAPage(page.status(), page.body().size(), type == null ? "not set" : type);
    }
}
