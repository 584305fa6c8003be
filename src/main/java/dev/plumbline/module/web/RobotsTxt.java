package dev.plumbline.module.web;

import com.google.auto.service.AutoService;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.CheckModule;
import dev.plumbline.check.RegisteredModule;
import dev.plumbline.probe.http.HttpBody;
import dev.plumbline.probe.http.HttpExchange;
import dev.plumbline.probe.http.HttpProbe;
import dev.plumbline.probe.http.RedirectTrace;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.robots.RobotsFile;
import dev.plumbline.robots.RobotsMatcher;
import dev.plumbline.robots.RobotsStandard;
import dev.plumbline.sheet.FindingCollector;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.Target;
import io.vertx.core.Future;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The robots.txt of a site, and whether it allows a crawler to fetch a path: for Googlebot by Google's documentation,
 * otherwise by RFC 9309.
 */
@AutoService(RegisteredModule.class)
public final class RobotsTxt implements CheckModule<RobotsTxt.Evidence, RobotsTxt.Report, RobotsTxt.Findings> {

    public record Report(
            boolean found,
            @Nullable Integer status,
            boolean allowed,
            String standard,
            @Nullable Double crawlDelay,
            List<RobotsFile.Group> groups,
            List<String> sitemaps,
            int bytes,
            List<String> errors) {}

    public interface Findings extends FindingCollector {
        void pathDisallowed(String path, String rule, String agent);

        void robotsUnreachable(int status);

        void robotsMissing(int status);

        void robotsRefused(int status);

        void robotsNotReached(int status);

        void robotsMalformed(String error);

        void robotsTooLarge();

        void robotsIsAPage(String type);

        void robotsContentType(String type);

        void robotsNotUtf8();

        void byteOrderMark();

        void crawlDelay(double seconds);

        void redirected(Target.Url url);
    }

    /**
     * @param standard how the crawler evaluates the file
     * @param path the path to evaluate
     * @param content null if the response is not successful
     */
    public record Evidence(RedirectTrace trace, RobotsStandard standard, String path, @Nullable Content content) {}

    /**
     * A robots.txt and its evaluation for a crawler and a path.
     *
     * @param disallowedBy the rule that disallows the path, null if it is allowed
     */
    record Content(RobotsFile file, RobotsMatcher matcher, @Nullable String disallowedBy, int bytes) {

        static Content of(byte[] bytes, boolean truncated, String agent, String path) {
            RobotsFile file = RobotsFile.parse(bytes, truncated, RobotsStandard.of(agent));
            RobotsMatcher matcher = RobotsMatcher.of(file, agent);
            return new Content(file, matcher, matcher.disallowedBy(path), bytes.length);
        }
    }

    @Override
    public Future<Evidence> collect(Target target, CheckContext context) {
        Target.Url url = (Target.Url) target;
        String option = context.options().optionalText("path");
        String path = option == null ? url.pathAndQuery() : option;
        String agent = context.options().text("agent");
        RobotsStandard standard = RobotsStandard.of(agent);
        return context.probe(HttpProbe.class)
                .page(context, url.at("/robots.txt"))
                .compose(trace -> {
                    HttpExchange response = trace.page();
                    return response == null || response.status() / 100 != 2
                            ? Future.succeededFuture(new Evidence(trace, standard, path, null))
                            : context.executeBlocking(() -> content(response, agent, path))
                                    .compose(content -> context.reserve(RobotsFile.heapBytes(content.bytes()))
                                            .map(new Evidence(trace, standard, path, content)));
                });
    }

    private static Content content(HttpExchange response, String agent, String path) throws CheckFailure {
        HttpBody body = response.content(HttpProbe.PAGE_BYTES);
        return Content.of(body.shared(), body.truncated() && response.bodyError() == null, agent, path);
    }

    @Override
    public @Nullable Report evaluate(Evidence evidence, Options options, Findings findings) {
        RedirectTrace trace = evidence.trace();
        HttpExchange response = trace.page();
        HttpExchange last = trace.last();
        CheckError error = trace.error();
        boolean redirectsFailed = response == null
                && error != null
                && (error.code() == ErrorCode.TOO_MANY_REDIRECTS || error.code() == ErrorCode.REDIRECT_LOOP);
        findings.error(redirectsFailed ? null : error);
        if (last == null || response == null && !redirectsFailed) {
            return null;
        }
        Content content = evidence.content();
        if (response == null || content == null) {
            reportAbsence(last.status(), redirectsFailed, evidence.standard(), findings);
        } else {
            reportContent(content, response.headers().first("content-type"), evidence.path(), findings);
        }
        if (response != null && trace.hops().size() > 1) {
            findings.redirected(response.url());
        }
        String standard = evidence.standard().title();
        if (content == null) {
            boolean allowed = !evidence.standard().disallowsAll(last.status());
            return new Report(false, last.status(), allowed, standard, null, List.of(), List.of(), 0, List.of());
        }
        RobotsFile file = content.file();
        return new Report(
                true,
                last.status(),
                content.disallowedBy() == null,
                standard,
                content.matcher().crawlDelay(),
                file.groups(),
                file.sitemaps(),
                content.bytes(),
                file.errors());
    }

    private static void reportAbsence(int status, boolean redirectsFailed, RobotsStandard standard, Findings findings) {
        if (redirectsFailed || status < 400) {
            findings.robotsNotReached(status);
        } else if (standard.disallowsAll(status)) {
            findings.robotsUnreachable(status);
        } else if (status == 404 || status == 410) {
            findings.robotsMissing(status);
        } else {
            findings.robotsRefused(status);
        }
    }

    private static void reportContent(Content content, @Nullable String type, String path, Findings findings) {
        RobotsFile file = content.file();
        String shownType = type == null ? "not set" : type;
        String lowerType = shownType.toLowerCase(Locale.ROOT);
        boolean page = lowerType.contains("html") && file.groups().isEmpty();
        if (content.disallowedBy() != null) {
            findings.pathDisallowed(
                    path, content.disallowedBy(), content.matcher().agent());
        }
        if (page) {
            findings.robotsIsAPage(shownType);
        }
        if (file.tooLarge()) {
            findings.robotsTooLarge();
        }
        if (!file.utf8()) {
            findings.robotsNotUtf8();
        }
        if (!page && !file.errors().isEmpty()) {
            findings.robotsMalformed(file.errors().get(0));
        }
        if (!page && !lowerType.startsWith("text/plain")) {
            findings.robotsContentType(shownType);
        }
        if (file.byteOrderMark()) {
            findings.byteOrderMark();
        }
        Double delay = content.matcher().crawlDelay();
        if (delay != null && delay > 0) {
            findings.crawlDelay(delay);
        }
    }
}
