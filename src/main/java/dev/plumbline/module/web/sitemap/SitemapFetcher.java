package dev.plumbline.module.web.sitemap;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.module.web.sitemap.SitemapCrawl.FileRead;
import dev.plumbline.probe.http.HttpExchange;
import dev.plumbline.probe.http.HttpProbe;
import dev.plumbline.probe.http.HttpRequestSpec;
import dev.plumbline.probe.http.RedirectTrace;
import dev.plumbline.result.CheckError;
import dev.plumbline.target.Target;
import io.vertx.core.Future;
import java.util.function.Function;

/** Requests sitemaps and parses the responses. */
final class SitemapFetcher {
    /** The maximum size of a sitemap, before and after decompression. */
    static final int MAX_BYTES = 8 * 1024 * 1024;

    private static final int MAX_REDIRECTS = 5;

    private SitemapFetcher() {}

    /**
     * Requests a sitemap.
     *
     * @param maxBytes at most {@link #MAX_BYTES}
     * @param entries creates the counter of its entries; the argument is the URL after redirects
     * @param mapper called with the parsed sitemap, outside the event loop
     */
    static <T> Future<T> fetch(
            CheckContext context,
            Target.Url url,
            int maxBytes,
            Function<Target.Url, SitemapEntries> entries,
            Function<FileRead, T> mapper) {
        HttpRequestSpec request = HttpRequestSpec.get(url, maxBytes).withoutRedirectBodies();
        return context.probe(HttpProbe.class)
                .follow(context, request, MAX_REDIRECTS)
                .compose(trace -> trace.parseBodies(context, () -> mapper.apply(parse(url, trace, maxBytes, entries))));
    }

    private static FileRead parse(
            Target.Url url, RedirectTrace trace, int maxBytes, Function<Target.Url, SitemapEntries> entries) {
        HttpExchange response = trace.page();
        CheckError error = trace.error();
        SitemapFile file = null;
        if (response != null && error == null && response.status() / 100 == 2) {
            try {
                file = SitemapParser.parse(response.content(maxBytes), maxBytes, entries.apply(trace.url()));
            } catch (CheckFailure undecodable) {
                error = undecodable.error();
            }
        }
        return new FileRead(
                url,
                trace.url(),
                response == null ? null : Integer.valueOf(response.status()),
                response == null ? null : response.headers().first("content-type"),
                response == null || response.headers().has("content-encoding")
                        ? null
                        : response.headers().first("content-length"),
                error,
                file);
    }
}
