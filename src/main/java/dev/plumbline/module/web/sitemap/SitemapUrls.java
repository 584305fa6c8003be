package dev.plumbline.module.web.sitemap;

import dev.plumbline.check.CheckContext;
import dev.plumbline.module.web.sitemap.SitemapCrawl.FileRead;
import dev.plumbline.module.web.sitemap.SitemapFile.Child;
import dev.plumbline.module.web.sitemap.SitemapFile.Kind;
import dev.plumbline.probe.http.RedirectLocation;
import dev.plumbline.result.CheckError;
import dev.plumbline.target.Target;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads one sitemap for a list of targets, with the parser and the limits of the module. */
public final class SitemapUrls {
    /** The maximum number of URLs of a sitemap (sitemaps protocol). */
    private static final int MAX_URLS = 50_000;

    /** U+FFFD in a URL: a character of the sitemap could not be decoded. */
    private static final String REPLACEMENT = "%EF%BF%BD";

    private SitemapUrls() {}

    /**
     * The content of a sitemap.
     *
     * @param urls the URLs in their order; empty for an index
     * @param sitemaps the sitemaps that an index lists, in their order
     * @param fault why the sitemap was not read, or not completely, as sentences; null if the content is complete
     */
    public record Content(List<String> urls, List<Target.Url> sitemaps, @Nullable String fault) {}

    /** Requests and reads a sitemap. Fails only with {@link dev.plumbline.check.OverloadFailure}. */
    public static Future<Content> read(CheckContext context, Target.Url url) {
        Collector collector = new Collector();
        return SitemapFetcher.fetch(
                context,
                url,
                SitemapFetcher.MAX_BYTES,
                lastUrl -> new SitemapEntries(
                        new SitemapEntries.Scope(
                                url,
                                Set.copyOf(List.of(url.origin(), lastUrl.origin())),
                                null,
                                context.clock().instant()),
                        MAX_URLS,
                        collector),
                read -> content(url, read, collector));
    }

    /** The entries of one sitemap. Used by one thread at a time. */
    private static final class Collector implements SitemapEntries.EntryConsumer {
        private final List<String> urls = new ArrayList<>();
        private int unread;
        private String firstUnread = "";

        @Override
        public void url(String url) {
            urls.add(url);
        }

        @Override
        public void unread(String error) {
            unread++;
            firstUnread = unread == 1 ? error : firstUnread;
        }
    }

    private static Content content(Target.Url url, FileRead read, Collector collector) {
        List<Target.Url> sitemaps = new ArrayList<>();
        if (read.file() != null) {
            for (Child child : read.file().children()) {
                Target.Url sitemap = RedirectLocation.resolveReference(url, child.url());
                if (sitemap != null) {
                    sitemaps.add(sitemap);
                }
            }
        }
        return new Content(collector.urls, sitemaps, fault(read, collector));
    }

    private static @Nullable String fault(FileRead read, Collector collector) {
        CheckError error = read.error();
        SitemapFile file = read.file();
        if (error != null) {
            return error.message();
        }
        if (file == null) {
            return read.status() == null
                    ? "The server returned a redirect without a valid Location header."
                    : "The server returned status " + read.status() + ".";
        }
        boolean index = file.kind() == Kind.SITEMAPINDEX;
        return switch (file.end()) {
            case NOT_A_SITEMAP -> "The content is not a sitemap: " + file.fault() + ".";
            case MALFORMED -> "It is malformed. " + file.fault();
            case DOCTYPE -> "It contains a document type declaration, which is not processed.";
            case SIZE_LIMIT -> "It is larger than 8 MiB, the limit of a check.";
            case URL_LIMIT -> format("It contains more than %,d %s.", MAX_URLS, index ? "sitemaps" : "URLs");
            case COMPLETE -> faultOfEntries(file, collector);
        };
    }

    private static @Nullable String faultOfEntries(SitemapFile file, Collector collector) {
        if (collector.unread > 0) {
            return format(
                    "%,d %s not valid. %s",
                    collector.unread, collector.unread == 1 ? "entry is" : "entries are", collector.firstUnread);
        }
        if (!file.utf8() && collector.urls.stream().anyMatch(url -> url.contains(REPLACEMENT))) {
            return "It contains URLs with bytes that are not valid in its encoding.";
        }
        return file.childCount() > file.children().size()
                ? format(
                        "It lists %,d sitemaps; at most %,d are read.",
                        file.childCount(), file.children().size())
                : null;
    }

    private static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
