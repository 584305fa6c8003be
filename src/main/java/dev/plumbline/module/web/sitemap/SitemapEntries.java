package dev.plumbline.module.web.sitemap;

import dev.plumbline.module.web.page.W3cDateTime;
import dev.plumbline.module.web.sitemap.SitemapFile.Child;
import dev.plumbline.module.web.sitemap.SitemapFile.Kind;
import dev.plumbline.module.web.sitemap.SitemapFile.Problem;
import dev.plumbline.module.web.sitemap.SitemapFile.Tally;
import dev.plumbline.probe.http.RedirectLocation;
import dev.plumbline.target.Target;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Evaluates and counts the entries of one sitemap. Not thread-safe. */
final class SitemapEntries {
    static final int MAX_CHILDREN = 1_000;
    static final int MAX_ERRORS = 50;
    private static final int MAX_INDEX = 50_000;
    private static final int MAX_SHOWN = 100;

    /** URLs must be shorter. */
    private static final int MAX_URL = 2_048;

    private static final Duration FUTURE = Duration.ofDays(1);
    private static final Pattern ABSOLUTE = Pattern.compile("https?://.*+", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);
    private static final Pattern PRIORITY = Pattern.compile("0?\\.\\d{1,20}|[01]|1\\.0{1,20}");
    private static final Set<String> FREQUENCIES =
            Set.of("always", "hourly", "daily", "weekly", "monthly", "yearly", "never");
    private static final Set<String> ENTRY_ELEMENTS = Set.of("loc", "lastmod", "changefreq", "priority");

    private final Scope scope;
    private final int maxUrls;
    private final EntryConsumer consumer;
    private final List<Child> children = new ArrayList<>();
    private final List<String> errors = new ArrayList<>();
    private final Map<Problem, Tally> problems = new EnumMap<>(Problem.class);
    private int count;
    private int skippedLines;
    private boolean indexed;
    private @Nullable Instant newest;
    private @Nullable String location;
    private @Nullable String date;

    /**
     * The URLs that a sitemap may contain.
     *
     * @param base the URL of the sitemap
     * @param origins the permitted schemes and authorities, for example {@code https://example.com}
     * @param directory the permitted start of a path; null for all paths
     * @param now the time of the check
     */
    record Scope(Target.Url base, Set<String> origins, @Nullable String directory, Instant now) {}

    /** Receives the entries of a sitemap in their order. */
    interface EntryConsumer {
        /** @param url the normalized URL of an entry; not called for an index */
        void url(String url);

        /**
         * An entry or a part of it was not read.
         *
         * @param error the reason with the line number
         */
        void unread(String error);
    }

    private static final EntryConsumer NONE = new EntryConsumer() {
        @Override
        public void url(String url) {}

        @Override
        public void unread(String error) {}
    };

    /** @param maxUrls the maximum number of URLs to count; the limit for an index is the one of the protocol */
    SitemapEntries(Scope scope, int maxUrls) {
        this(scope, maxUrls, NONE);
    }

    SitemapEntries(Scope scope, int maxUrls, EntryConsumer consumer) {
        this.scope = scope;
        this.maxUrls = maxUrls;
        this.consumer = consumer;
    }

    /** An element of the current entry, with its text. */
    void element(Kind kind, String name, String text, int line) {
        if (name.equals(kind.location)) {
            if (location == null) {
                location = text;
            } else if (kind.isProtocol()) {
                consumer.unread(
                        problem(Problem.UNKNOWN_ELEMENT, "<loc>", line, "the entry has more than one <loc> element"));
            }
        } else if (name.equals(kind.date)) {
            date = text;
        } else if (kind.isProtocol()) {
            protocolElement(kind, name, text, line);
        }
    }

    private void protocolElement(Kind kind, String name, String text, int line) {
        if (kind == Kind.SITEMAPINDEX || !ENTRY_ELEMENTS.contains(name)) {
            unknown(name, line);
            return;
        }
        boolean valid = name.equals("priority")
                ? PRIORITY.matcher(text).matches()
                : FREQUENCIES.contains(text.toLowerCase(Locale.ROOT));
        if (!valid) {
            String value = "<%s>%s</%s>".formatted(name, shown(text), name);
            problem(Problem.VALUE_INVALID, value, line, "the value of %s is invalid".formatted(value));
        }
    }

    /** An element that the protocol does not define, in the place of an entry. It can contain entries. */
    void unknownContainer(String name, int line) {
        consumer.unread(unknown(name, line));
    }

    private String unknown(String name, int line) {
        return problem(
                Problem.UNKNOWN_ELEMENT,
                "<" + shown(name) + ">",
                line,
                "the element <%s> is not defined here".formatted(shown(name)));
    }

    /**
     * The end of the current entry.
     *
     * @return false if the maximum number of entries was reached before it
     */
    boolean end(Kind kind, int line) {
        String url = location;
        String lastmod = date;
        location = null;
        date = null;
        if (count == (kind == Kind.SITEMAPINDEX ? MAX_INDEX : maxUrls)) {
            return false;
        }
        Instant modified = lastmod == null ? null : modified(kind, lastmod, line);
        if (url == null || url.isEmpty()) {
            if (kind.isProtocol()) {
                consumer.unread(problem(Problem.LOC_MISSING, "", line, "the <loc> element is missing or empty"));
            }
            return true;
        }
        Target.Url parsed = url.length() < MAX_URL && ABSOLUTE.matcher(url).matches()
                ? RedirectLocation.resolveReference(scope.base(), url)
                : null;
        if (parsed == null) {
            consumer.unread(problem(
                    Problem.LOC_INVALID,
                    shown(url),
                    line,
                    "%s is not a valid absolute URL of less than 2048 characters".formatted(shown(url))));
            return true;
        }
        if (!scope.origins().contains(parsed.origin())) {
            tally(Problem.FOREIGN, parsed.text());
        } else if (scope.directory() != null && !parsed.pathAndQuery().startsWith(scope.directory())) {
            tally(Problem.OUTSIDE, parsed.text());
        }
        count++;
        if (kind == Kind.SITEMAPINDEX) {
            indexed = true;
            if (children.size() < MAX_CHILDREN) {
                children.add(new Child(parsed.text(), modified));
            }
        } else {
            consumer.url(parsed.text());
        }
        return true;
    }

    private @Nullable Instant modified(Kind kind, String text, int line) {
        Instant parsed = kind == Kind.RSS ? rfc1123(text) : W3cDateTime.parse(text);
        if (parsed == null) {
            if (kind != Kind.RSS) {
                problem(
                        Problem.LASTMOD_INVALID,
                        shown(text),
                        line,
                        "the date %s is not in the W3C format".formatted(shown(text)));
            }
            return null;
        }
        if (parsed.isAfter(scope.now().plus(FUTURE))) {
            tally(Problem.LASTMOD_FUTURE, shown(text));
        }
        if (newest == null || parsed.isAfter(newest)) {
            newest = parsed;
        }
        return parsed;
    }

    private static @Nullable Instant rfc1123(String text) {
        try {
            return Instant.from(DateTimeFormatter.RFC_1123_DATE_TIME.parse(text));
        } catch (DateTimeException malformed) {
            return null;
        }
    }

    /** Returns the error with its line number. */
    private String problem(Problem problem, String example, int line, String error) {
        tally(problem, example);
        return error(line, error);
    }

    private void tally(Problem problem, String example) {
        problems.merge(problem, new Tally(1, example), (old, one) -> new Tally(old.count() + 1, old.example()));
    }

    /** Counts a line before the first one that the parser reads. */
    void skipLine() {
        skippedLines++;
    }

    /**
     * Adds an error.
     *
     * @param line from 1; 0 if unknown
     * @return the error with its line number
     */
    String error(int line, String reason) {
        String error = (line > 0 ? "Line " + (line + skippedLines) + ": " : "") + reason + ".";
        if (errors.size() < MAX_ERRORS) {
            errors.add(error);
        }
        return error;
    }

    private static String shown(String text) {
        return text.length() <= MAX_SHOWN ? text : text.substring(0, MAX_SHOWN) + "…";
    }

    SitemapFile file(
            @Nullable Kind kind,
            SitemapFile.End end,
            String fault,
            @Nullable String namespace,
            int bytes,
            boolean utf8) {
        return new SitemapFile(
                kind,
                end,
                fault,
                namespace,
                indexed ? 0 : count,
                children,
                indexed ? count : 0,
                newest,
                bytes,
                utf8,
                problems,
                errors);
    }
}
