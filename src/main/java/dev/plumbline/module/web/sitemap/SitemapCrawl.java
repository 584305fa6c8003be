package dev.plumbline.module.web.sitemap;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.module.web.sitemap.SitemapFile.Child;
import dev.plumbline.module.web.sitemap.SitemapFile.Kind;
import dev.plumbline.probe.http.HttpBody;
import dev.plumbline.probe.http.HttpExchange;
import dev.plumbline.probe.http.HttpProbe;
import dev.plumbline.probe.http.RedirectLocation;
import dev.plumbline.probe.http.RedirectTrace;
import dev.plumbline.result.CheckError;
import dev.plumbline.robots.RobotsFile;
import dev.plumbline.robots.RobotsStandard;
import dev.plumbline.target.Target;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Finds the sitemap of a site, and reads it and the sitemaps that it lists, one after another. Confined to the context
 * of the check.
 */
final class SitemapCrawl {
    /** The maximum number of sitemaps that are read. */
    static final int MAX_FILES = 10;

    private static final int MIN_BYTES = 512 * 1024;

    /** More than the size of most entries. */
    private static final int BYTES_PER_URL = 400;

    /**
     * The memory of a listed sitemap without its text, in bytes: its URL, and its entries in the list, the queue and
     * the set.
     */
    private static final int LISTED_BYTES = 900;

    /** How often the text of a listed sitemap is held: as written, as a URL and in the set. */
    private static final int LISTED_COPIES = 3;

    /** The time that must remain to read a further sitemap, in milliseconds. */
    private static final long MIN_REMAINING_MS = 2_000;

    private final CheckContext context;
    private final Target.Url target;
    private final int maxUrls;
    private final int maxBytes;
    private final Instant now;
    private final Deque<Listed> queue = new ArrayDeque<>();
    private final List<Listed> listed = new ArrayList<>();
    private final List<FileRead> files = new ArrayList<>();
    private final Set<String> known = new HashSet<>();
    private Source source = Source.TARGET;
    private @Nullable String robotsFault;
    private int urlCount;
    private int childCount;

    /** How the first sitemap was found. */
    enum Source {
        TARGET,
        ROBOTS_TXT,
        DEFAULT_PATH
    }

    /** @param child whether an index lists the sitemap */
    record Listed(Target.Url url, @Nullable Instant lastmod, boolean child) {}

    /**
     * A requested sitemap.
     *
     * @param url the URL before redirects
     * @param lastUrl the URL after redirects
     * @param status null if no response was received
     * @param type the Content-Type header
     * @param length the Content-Length header
     * @param error why the content was not read; null if it was
     * @param file null if the status is not successful, or the content was not read
     */
    record FileRead(
            Target.Url url,
            Target.Url lastUrl,
            @Nullable Integer status,
            @Nullable String type,
            @Nullable String length,
            @Nullable CheckError error,
            @Nullable SitemapFile file) {}

    /**
     * @param robotsFault why the Sitemap lines of robots.txt are unknown, as a clause; null if they are known
     * @param files at least one
     * @param listed the further sitemaps that robots.txt and indexes list, at most {@link SitemapEntries#MAX_CHILDREN}
     * @param childCount the number of further sitemaps
     */
    record Evidence(
            Source source, @Nullable String robotsFault, List<FileRead> files, List<Listed> listed, int childCount) {}

    SitemapCrawl(CheckContext context, Target.Url target) {
        this.context = context;
        this.target = target;
        this.maxUrls = (int) context.options().integer("max_urls");
        this.maxBytes = (int) Math.min(SitemapFetcher.MAX_BYTES, MIN_BYTES + (long) maxUrls * BYTES_PER_URL);
        this.now = context.clock().instant();
    }

    Future<Evidence> run() {
        Future<Target.@Nullable Url> first =
                target.pathAndQuery().equals("/") ? find() : Future.succeededFuture(target);
        return first.compose(url -> read(new Listed(url, null, false)))
                .compose(file -> readListed())
                .map(done -> new Evidence(source, robotsFault, files, listed, childCount));
    }

    /** Returns the first sitemap in robots.txt, otherwise the default path. */
    private Future<Target.Url> find() {
        return context.probe(HttpProbe.class)
                .page(context, target.at("/robots.txt"))
                .compose(trace -> {
                    CheckError error = trace.error();
                    if (trace.hops().isEmpty() && error != null) {
                        return Future.failedFuture(new CheckFailure(error.code(), error.message()));
                    }
                    return trace.parseBodies(context, () -> robots(trace));
                })
                .compose(robots -> context.reserve(
                                heapBytes(robots.sitemaps().stream().map(Target.Url::pathAndQuery)))
                        .map(robots))
                .map(robots -> {
                    List<Target.Url> urls = robots.sitemaps();
                    robotsFault = robots.fault();
                    source = urls.isEmpty() ? Source.DEFAULT_PATH : Source.ROBOTS_TXT;
                    Target.Url first = urls.isEmpty() ? target.at("/sitemap.xml") : urls.get(0);
                    known.add(first.text());
                    urls.forEach(url -> list(new Listed(url, null, false)));
                    return first;
                });
    }

    /**
     * The Sitemap lines of robots.txt.
     *
     * @param fault why they are not, or not all, known
     */
    private record Robots(List<Target.Url> sitemaps, @Nullable String fault) {}

    /** The memory of listed sitemaps with these texts, in bytes. */
    private static long heapBytes(Stream<String> texts) {
        return texts.mapToLong(text -> LISTED_BYTES + (long) LISTED_COPIES * text.length())
                .sum();
    }

    private static Robots robots(RedirectTrace trace) throws CheckFailure {
        HttpExchange response = trace.page();
        CheckError error = trace.error();
        if (response == null || error != null) {
            return new Robots(
                    List.of(),
                    error == null ? "robots.txt is a redirect" : "robots.txt was not read: " + error.message());
        }
        int status = response.status();
        if (status / 100 != 2) {
            return new Robots(
                    List.of(), status >= 500 || status == 429 ? "robots.txt returned status " + status : null);
        }
        HttpBody body = response.decoded(HttpProbe.PAGE_BYTES);
        if (body.unreadable()) {
            return new Robots(List.of(), "robots.txt cannot be decoded");
        }
        RobotsFile file = RobotsFile.parse(body.shared(), body.truncated(), RobotsStandard.RFC_9309);
        List<Target.Url> urls = new ArrayList<>();
        for (String sitemap : file.sitemaps()) {
            Target.Url url = RedirectLocation.resolveReference(response.url(), sitemap);
            if (url != null) {
                urls.add(url);
            }
        }
        return new Robots(urls, file.tooLarge() ? "robots.txt was not read completely" : null);
    }

    private void list(Listed sitemap) {
        if (known.add(sitemap.url().text())) {
            queue.add(sitemap);
            childCount++;
            if (listed.size() < SitemapEntries.MAX_CHILDREN) {
                listed.add(sitemap);
            }
        }
    }

    private Future<Void> readListed() {
        FileRead first = files.get(0);
        boolean readable = first.file() != null
                && files.size() < MAX_FILES
                && urlCount < maxUrls
                && context.deadline().remainingMillis() >= MIN_REMAINING_MS;
        Listed next = readable ? queue.poll() : null;
        return next == null ? Future.succeededFuture() : read(next).compose(file -> readListed());
    }

    private Future<FileRead> read(Listed sitemap) {
        known.add(sitemap.url().text());
        CheckContext waiting = files.isEmpty() ? context : context.patiently();
        return SitemapFetcher.fetch(
                        waiting,
                        sitemap.url(),
                        maxBytes,
                        lastUrl -> new SitemapEntries(scope(sitemap.url(), lastUrl), Math.max(1, maxUrls - urlCount)),
                        read -> Parsed.of(sitemap, read))
                .compose(parsed -> context.reserve(heapBytes(parsed.texts())).map(parsed))
                .map(parsed -> {
                    files.add(parsed.read);
                    parsed.children.forEach(this::list);
                    childCount += parsed.moreChildren;
                    SitemapFile file = parsed.read.file();
                    urlCount += file == null ? 0 : file.urlCount();
                    return parsed.read;
                });
    }

    /**
     * @param children the sitemaps that an index lists
     * @param moreChildren the number of further sitemaps that it lists
     */
    private record Parsed(FileRead read, List<Listed> children, int moreChildren) {
        Stream<String> texts() {
            return read.file() == null
                    ? Stream.empty()
                    : read.file().children().stream().map(Child::url);
        }

        static Parsed of(Listed sitemap, FileRead read) {
            SitemapFile file = read.file();
            if (file == null || sitemap.child() || file.kind() != Kind.SITEMAPINDEX) {
                return new Parsed(read, List.of(), 0);
            }
            List<Listed> children = new ArrayList<>();
            for (Child child : file.children()) {
                Target.Url url = RedirectLocation.resolveReference(sitemap.url(), child.url());
                if (url != null) {
                    children.add(new Listed(url, child.lastmod(), true));
                }
            }
            return new Parsed(
                    read, children, file.childCount() - file.children().size());
        }
    }

    /** The site whose robots.txt lists the sitemap, and the site of the sitemap before and after redirects. */
    private SitemapEntries.Scope scope(Target.Url url, Target.Url lastUrl) {
        Target.Url first = files.isEmpty() ? url : files.get(0).url();
        Target.Url lastOfFirst = files.isEmpty() ? lastUrl : files.get(0).lastUrl();
        Set<String> origins = new HashSet<>();
        List.of(target, first, lastOfFirst).forEach(each -> origins.add(each.origin()));
        String path = first.pathAndQuery().split("\\?", 2)[0];
        String directory = source == Source.TARGET ? path.substring(0, path.lastIndexOf('/') + 1) : null;
        return new SitemapEntries.Scope(url, origins, directory, now);
    }
}
