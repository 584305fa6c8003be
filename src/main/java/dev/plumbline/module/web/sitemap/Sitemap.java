package dev.plumbline.module.web.sitemap;

import static dev.plumbline.sheet.FindingCollector.reportIfAny;

import com.google.auto.service.AutoService;
import com.google.common.primitives.Longs;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckModule;
import dev.plumbline.check.RegisteredModule;
import dev.plumbline.module.web.sitemap.SitemapCrawl.Evidence;
import dev.plumbline.module.web.sitemap.SitemapCrawl.FileRead;
import dev.plumbline.module.web.sitemap.SitemapCrawl.Listed;
import dev.plumbline.module.web.sitemap.SitemapCrawl.Source;
import dev.plumbline.module.web.sitemap.SitemapFile.End;
import dev.plumbline.module.web.sitemap.SitemapFile.Kind;
import dev.plumbline.module.web.sitemap.SitemapFile.Problem;
import dev.plumbline.module.web.sitemap.SitemapFile.Tally;
import dev.plumbline.result.CheckError;
import dev.plumbline.sheet.FindingCollector;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.Target;
import io.vertx.core.Future;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The sitemap of a site or at a URL, with the sitemaps that it lists. */
@AutoService(RegisteredModule.class)
public final class Sitemap implements CheckModule<Evidence, Sitemap.Report, Sitemap.Findings> {
    /** The limits of the sitemaps protocol. */
    private static final int PROTOCOL_URLS = 50_000;

    private static final long PROTOCOL_BYTES = 50L * 1024 * 1024;

    public record Report(
            boolean found,
            @Nullable Kind kind,
            int urlCount,
            List<ChildSitemap> childSitemaps,
            @Nullable Instant newestLastmod,
            int bytes,
            List<String> errors) {}

    /** A further sitemap. */
    public record ChildSitemap(
            String url, @Nullable Instant lastmod, @Nullable Integer status, @Nullable Integer urlCount) {}

    public interface Findings extends FindingCollector {
        void sitemapMissing(String reason);

        void sitemapUndetermined(Target.Url url, String reason, String robots);

        void sitemapUnavailable(Target.Url url, int status);

        void notASitemap(Target.Url url, String reason);

        void sitemapMalformed(Target.Url url, String error);

        void doctypeNotProcessed(Target.Url url);

        void tooManyUrls(Target.Url url);

        void tooLarge(Target.Url url, long bytes);

        void childUnavailable(List<String> sitemaps);

        void nestedIndex(List<Target.Url> sitemaps);

        void namespaceInvalid(String namespace);

        void locMissing(int count);

        void locInvalid(int count, String example);

        void foreignUrls(int count, String example);

        void outsideDirectory(int count, String example);

        void lastmodInvalid(int count, String example);

        void lastmodFuture(int count, String example);

        void valueInvalid(int count, String example);

        void unknownElement(int count, String example);

        void emptySitemap(Target.Url url);

        void notUtf8(Target.Url url);

        void sitemapTruncated(Target.Url url, int count, int bytes);

        void childrenNotRead(int read, int count);

        void notInRobots(Target.Url url);

        void foundInRobots(Target.Url url);

        void lastmodMissing();

        void sitemapContentType(String type);

        void redirected(Target.Url url);
    }

    @Override
    public Future<Evidence> collect(Target target, CheckContext context) {
        return new SitemapCrawl(context, (Target.Url) target).run();
    }

    @Override
    public @Nullable Report evaluate(Evidence evidence, Options options, Findings findings) {
        FileRead first = evidence.files().get(0);
        SitemapFile file = first.file();
        CheckError error = first.error();
        findings.error(error);
        if (error != null || first.status() == null) {
            return null;
        }
        if (file == null || file.end() == End.NOT_A_SITEMAP) {
            String reason = file == null ? " returned status " + first.status() : ": " + file.fault();
            reportAbsence(evidence, first, first.url().pathAndQuery() + reason, findings);
            return new Report(false, null, 0, List.of(), null, 0, List.of());
        }
        reportFiles(evidence, findings);
        reportEntries(evidence, findings);
        reportSource(evidence, first, file, findings);
        return report(evidence, file);
    }

    private static void reportAbsence(Evidence evidence, FileRead first, String reason, Findings findings) {
        SitemapFile file = first.file();
        int status = first.status() == null ? 0 : first.status();
        String robotsFault = evidence.robotsFault();
        if (evidence.source() == Source.DEFAULT_PATH) {
            boolean absent = file != null || status == 404 || status == 410;
            if (absent && robotsFault == null) {
                findings.sitemapMissing(reason);
            } else {
                findings.sitemapUndetermined(
                        first.url(), reason, robotsFault == null ? "robots.txt does not list a sitemap" : robotsFault);
            }
        } else if (file == null) {
            findings.sitemapUnavailable(first.url(), status);
        } else {
            findings.notASitemap(first.url(), file.fault());
        }
    }

    private static void reportFiles(Evidence evidence, Findings findings) {
        List<String> unavailable = new ArrayList<>();
        List<Target.Url> nested = new ArrayList<>();
        for (FileRead read : evidence.files()) {
            SitemapFile file = read.file();
            if (file == null || file.end() == End.NOT_A_SITEMAP) {
                String reason = failure(read);
                if (reason != null) {
                    unavailable.add("%s (%s)".formatted(read.url().text(), reason));
                }
                continue;
            }
            if (file.kind() == Kind.SITEMAPINDEX && isChild(evidence, read)) {
                nested.add(read.url());
            }
            reportFile(read, file, findings);
        }
        reportIfAny(unavailable, findings::childUnavailable);
        reportIfAny(nested, findings::nestedIndex);
    }

    private static boolean isChild(Evidence evidence, FileRead read) {
        return evidence.listed().stream()
                .anyMatch(listed -> listed.child() && listed.url().equals(read.url()));
    }

    /** Why a further sitemap could not be read; null if the cause can be this service or its time limit. */
    private static @Nullable String failure(FileRead read) {
        CheckError error = read.error();
        SitemapFile file = read.file();
        if (error != null) {
            return error.code().targetFault() && !error.retryable() ? error.message() : null;
        }
        return file == null ? "status " + read.status() : file.fault();
    }

    private static void reportFile(FileRead read, SitemapFile file, Findings findings) {
        Target.Url url = read.url();
        Long length = read.length() == null ? null : Longs.tryParse(read.length());
        boolean tooMany = file.end() == End.URL_LIMIT && file.urlCount() + file.childCount() >= PROTOCOL_URLS;
        if (tooMany) {
            findings.tooManyUrls(url);
        }
        if (length != null && length > PROTOCOL_BYTES) {
            findings.tooLarge(url, length);
        }
        switch (file.end()) {
            case MALFORMED -> findings.sitemapMalformed(url, file.fault());
            case DOCTYPE -> findings.doctypeNotProcessed(url);
            case URL_LIMIT, SIZE_LIMIT -> {
                if (!tooMany) {
                    findings.sitemapTruncated(url, file.urlCount() + file.childCount(), file.bytes());
                }
            }
            default -> {
                if (file.urlCount() + file.childCount() == 0 && file.problems().isEmpty()) {
                    findings.emptySitemap(url);
                }
            }
        }
        if (!file.utf8()) {
            findings.notUtf8(url);
        }
    }

    /** Reports problems of entries, over all files. */
    private static void reportEntries(Evidence evidence, Findings findings) {
        Map<Problem, Tally> problems = new EnumMap<>(Problem.class);
        String namespace = null;
        for (FileRead read : evidence.files()) {
            if (read.file() != null) {
                read.file()
                        .problems()
                        .forEach((problem, tally) -> problems.merge(
                                problem, tally, (old, more) -> new Tally(old.count() + more.count(), old.example())));
                namespace = namespace == null ? read.file().namespace() : namespace;
            }
        }
        if (namespace != null) {
            findings.namespaceInvalid(namespace.isEmpty() ? "not set" : namespace);
        }
        problems.forEach((problem, tally) -> {
            int count = tally.count();
            String example = tally.example();
            switch (problem) {
                case LOC_MISSING -> findings.locMissing(count);
                case LOC_INVALID -> findings.locInvalid(count, example);
                case FOREIGN -> findings.foreignUrls(count, example);
                case OUTSIDE -> findings.outsideDirectory(count, example);
                case LASTMOD_INVALID -> findings.lastmodInvalid(count, example);
                case LASTMOD_FUTURE -> findings.lastmodFuture(count, example);
                case VALUE_INVALID -> findings.valueInvalid(count, example);
                case UNKNOWN_ELEMENT -> findings.unknownElement(count, example);
            }
        });
    }

    private static void reportSource(Evidence evidence, FileRead first, SitemapFile file, Findings findings) {
        int read = evidence.files().size() - 1 - unread(evidence);
        if (read < evidence.childCount()) {
            findings.childrenNotRead(read, evidence.childCount());
        }
        if (evidence.source() == Source.ROBOTS_TXT) {
            findings.foundInRobots(first.url());
        } else if (evidence.source() == Source.DEFAULT_PATH && evidence.robotsFault() == null) {
            findings.notInRobots(first.url());
        }
        if (file.kind() == Kind.URLSET
                && file.urlCount() > 0
                && file.newestLastmod() == null
                && !file.problems().containsKey(Problem.LASTMOD_INVALID)) {
            findings.lastmodMissing();
        }
        String type = first.type() == null ? "not set" : first.type();
        String lower = type.toLowerCase(Locale.ROOT);
        boolean expected = file.kind() == Kind.TEXT
                ? lower.startsWith("text/plain")
                : lower.contains("xml") && !lower.contains("html");
        if (file.kind() != null && !expected && !lower.contains("gzip")) {
            findings.sitemapContentType(type);
        }
        if (!first.lastUrl().equals(first.url())) {
            findings.redirected(first.lastUrl());
        }
    }

    /** The number of further sitemaps that were requested, but not read for reasons outside of the target. */
    private static int unread(Evidence evidence) {
        return (int) evidence.files().stream()
                .filter(read -> read.file() == null && failure(read) == null)
                .count();
    }

    private static Report report(Evidence evidence, SitemapFile file) {
        int urlCount = 0;
        int bytes = 0;
        Instant newest = null;
        List<String> errors = new ArrayList<>();
        Map<Target.Url, FileRead> reads = new HashMap<>();
        for (FileRead read : evidence.files()) {
            reads.put(read.url(), read);
            SitemapFile each = read.file();
            if (each != null) {
                urlCount += each.urlCount();
                bytes += each.bytes();
                Instant lastmod = each.newestLastmod();
                newest = newest == null || lastmod != null && lastmod.isAfter(newest) ? lastmod : newest;
                String prefix = evidence.files().size() == 1 ? "" : read.url().text() + ": ";
                each.errors().forEach(error -> errors.add(prefix + error));
            }
        }
        List<ChildSitemap> children = evidence.listed().stream()
                .map(listed -> child(listed, reads.get(listed.url())))
                .toList();
        return new Report(
                true,
                file.kind(),
                urlCount,
                children,
                newest,
                bytes,
                errors.subList(0, Math.min(errors.size(), SitemapEntries.MAX_ERRORS)));
    }

    private static ChildSitemap child(Listed listed, @Nullable FileRead read) {
        SitemapFile file = read == null ? null : read.file();
        return new ChildSitemap(
                listed.url().text(),
                listed.lastmod(),
                read == null ? null : read.status(),
                file == null || file.kind() == null ? null : Integer.valueOf(file.urlCount()));
    }
}
