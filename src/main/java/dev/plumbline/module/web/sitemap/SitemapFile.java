package dev.plumbline.module.web.sitemap;

import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The content of one sitemap, as far as it was read.
 *
 * @param kind null if the format was not recognized
 * @param end where reading ended
 * @param fault why the content is malformed or not a sitemap, as a clause; empty otherwise
 * @param namespace the namespace of the root element if it is not the one of the format; empty if it is not set
 * @param urlCount the entries with a valid URL; 0 for an index
 * @param children the first {@link SitemapEntries#MAX_CHILDREN} sitemaps of an index
 * @param childCount the sitemaps of an index
 * @param newestLastmod null if no entry has a valid date
 * @param bytes the decompressed bytes that were read
 * @param utf8 false if another encoding is declared, or if bytes are not valid in the encoding
 * @param problems problems of entries
 * @param errors the first {@link SitemapEntries#MAX_ERRORS} errors, with line numbers
 */
record SitemapFile(
        @Nullable Kind kind,
        End end,
        String fault,
        @Nullable String namespace,
        int urlCount,
        List<Child> children,
        int childCount,
        @Nullable Instant newestLastmod,
        int bytes,
        boolean utf8,
        Map<Problem, Tally> problems,
        List<String> errors) {

    /** The formats that search engines accept. */
    enum Kind {
        URLSET("loc", "lastmod", "urlset", "url"),
        SITEMAPINDEX("loc", "lastmod", "sitemapindex", "sitemap"),
        RSS("link", "pubDate", "rss", "channel", "item"),
        ATOM("link", "updated", "feed", "entry"),
        TEXT("", "");

        /** The element of an entry with its URL. */
        final String location;

        /** The element of an entry with its date. */
        final String date;

        /** The elements from the root to an entry. */
        final List<String> path;

        Kind(String location, String date, String... path) {
            this.location = location;
            this.date = date;
            this.path = List.of(path);
        }

        /** Whether the format is defined by the sitemaps protocol, not by a feed standard. */
        boolean isProtocol() {
            return this == URLSET || this == SITEMAPINDEX;
        }
    }

    /** Why reading ended. */
    enum End {
        COMPLETE,
        URL_LIMIT,
        SIZE_LIMIT,
        MALFORMED,
        DOCTYPE,
        NOT_A_SITEMAP
    }

    /** A problem of an entry. */
    enum Problem {
        LOC_MISSING,
        LOC_INVALID,
        FOREIGN,
        OUTSIDE,
        LASTMOD_INVALID,
        LASTMOD_FUTURE,
        VALUE_INVALID,
        UNKNOWN_ELEMENT
    }

    /** @param example the first observed value */
    record Tally(int count, String example) {}

    /** A sitemap that an index lists. */
    record Child(String url, @Nullable Instant lastmod) {}
}
