package dev.plumbline.module.web;

import com.google.auto.service.AutoService;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckError;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.ErrorCode;
import dev.plumbline.check.Evaluation;
import dev.plumbline.check.FieldDescription;
import dev.plumbline.check.FieldType;
import dev.plumbline.check.Finding;
import dev.plumbline.check.FindingCode;
import dev.plumbline.check.InputType;
import dev.plumbline.check.Level;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.ModuleDescription;
import dev.plumbline.check.OptionDescription;
import dev.plumbline.check.Options;
import dev.plumbline.check.Target;
import dev.plumbline.probe.http.HttpBody;
import dev.plumbline.probe.http.HttpExchange;
import dev.plumbline.probe.http.HttpProbe;
import dev.plumbline.probe.http.RedirectTrace;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What a site's robots.txt asks of crawlers. */
@AutoService(ModuleDefinition.class)
public final class RobotsTxt implements ModuleDefinition<RobotsTxt.Evidence> {
    private static final String AGENT = "agent";
    private static final String PATH = "path";
    private static final int SHOWN_TEXT = 200;

    /** Product tokens are of letters, underscores and hyphens (RFC 9309 section 2.2.1). */
    private static final Pattern A_NAME_OR_EVERYBODY =
            Pattern.compile("\\*|[^\\x00-\\x1F\\x7F]*[A-Za-z][^\\x00-\\x1F\\x7F]*");

    private static final FindingCode DISALLOWED = new FindingCode(
            "path_disallowed",
            Level.WARN,
            "allowed",
            "The rules ask this crawler not to fetch this path.",
            "If it is to be found, allow it; if it is to be kept out of search engines, use noindex"
                    + " instead, which they can only read on pages that they may fetch.",
            "RFC 9309 section 2.2.2");
    private static final FindingCode SERVER_ERROR = new FindingCode(
            "robots_unreachable",
            Level.FAIL,
            "status",
            "The server fails when it is asked for robots.txt, so crawlers stay away from all pages.",
            "Mend the server's answer, or let it answer 404.",
            "RFC 9309 section 2.3.1.4");
    private static final FindingCode MISSING = new FindingCode(
            "robots_missing",
            Level.INFO,
            "found",
            "There is no robots.txt, so crawlers may fetch everything.",
            "Nothing needs to be done, unless some pages are not for crawlers.",
            "RFC 9309 section 2.3.1.3");
    private static final FindingCode REFUSED = new FindingCode(
            "robots_refused",
            Level.WARN,
            "status",
            "The server refuses to give robots.txt, which crawlers take as a leave to fetch everything.",
            "Let everybody read robots.txt, or let the server answer 404.",
            "RFC 9309 section 2.3.1.3");
    private static final FindingCode REDIRECTS = new FindingCode(
            "robots_not_reached",
            Level.WARN,
            "status",
            "The redirects from robots.txt lead nowhere, so crawlers may take it for missing.",
            "Serve the file at /robots.txt itself.",
            "RFC 9309 section 2.3.1.2");
    private static final FindingCode MALFORMED = new FindingCode(
            "robots_malformed",
            Level.WARN,
            "errors",
            "Some lines are not written as crawlers read them, so they are passed over.",
            "Correct the lines; one rule a line, as Disallow: /private/.",
            "RFC 9309 section 2.2");
    private static final FindingCode TOO_LARGE = new FindingCode(
            "robots_too_large",
            Level.WARN,
            "bytes",
            "The file is larger than the 500 KiB that every crawler reads; what follows may be passed" + " over.",
            "Use fewer rules, with wildcards.",
            "RFC 9309 section 2.5");
    private static final FindingCode A_PAGE = new FindingCode(
            "robots_is_a_page",
            Level.WARN,
            "found",
            "What is served as robots.txt is a web page.",
            "Serve a plain text file, or let the server answer 404.",
            "RFC 9309 section 2.3");
    private static final FindingCode TYPE = new FindingCode(
            "robots_content_type",
            Level.INFO,
            "found",
            "The file is not served as plain text.",
            "Send Content-Type: text/plain; charset=utf-8.",
            "RFC 9309 section 2.3");
    private static final FindingCode NOT_UTF8 = new FindingCode(
            "robots_not_utf8",
            Level.WARN,
            "errors",
            "The file has bytes that are not UTF-8, so rules with them match nothing.",
            "Save the file as UTF-8.",
            "RFC 9309 section 2.3");
    private static final FindingCode MARK = new FindingCode(
            "byte_order_mark",
            Level.INFO,
            "errors",
            "The file begins with a byte order mark, on which some crawlers stumble.",
            "Save the file as UTF-8 without a byte order mark.",
            "RFC 9309 section 2.2");
    private static final FindingCode DELAY = new FindingCode(
            "crawl_delay",
            Level.INFO,
            "crawl_delay",
            "The file asks for a pause between requests, which some crawlers keep and Google does not.",
            "Nothing needs to be done, unless the pause is long: then fewer pages are found.",
            "RFC 9309 section 2.2.4");

    private static final ModuleDescription DESCRIPTION = ModuleDescription.of("robots-txt", "Robots.txt", InputType.URL)
            .summary("Reads the file by which a site tells crawlers what to fetch, says whether a page is"
                    + " allowed, and what is wrong with the file.")
            .category("web")
            .example("https://example.com/", "https://example.com/page")
            .connects()
            .options(
                    OptionDescription.text(
                            AGENT,
                            "Crawler",
                            "Whose rules to look at: its name, for example Googlebot, or its whole User-Agent, in"
                                    + " which the longest name counts that the file has rules for; * for everybody."
                                    + " A name has letters from A to Z. It is only compared, never sent.",
                            "*",
                            A_NAME_OR_EVERYBODY,
                            200),
                    OptionDescription.text(
                            PATH,
                            "Path",
                            "The path, and query, to look at, for example /shop?page=2; without it, those of"
                                    + " the URL. It is only compared, never fetched.",
                            Pattern.compile("/[^\\x00-\\x1F\\x7F]{0,1000}"),
                            1001))
            .fields(
                    FieldDescription.bool("found", "Found", "Whether the site has a robots.txt."),
                    FieldDescription.integer("status", "Status", "The status of the answer to /robots.txt.")
                            .orNull(),
                    FieldDescription.bool("allowed", "Allowed", "Whether the crawler may fetch the path."),
                    FieldDescription.number(
                                    "crawl_delay",
                                    "Pause",
                                    "How many seconds the crawler is asked to wait between requests.")
                            .orNull(),
                    FieldDescription.table(
                            "groups",
                            "Groups",
                            "The rules, and whom they are for, in the order of the file.",
                            FieldDescription.array("agents", "For", "The crawlers; * is everybody.", FieldType.STRING),
                            FieldDescription.array("allow", "Allowed", "Paths that they may fetch.", FieldType.STRING),
                            FieldDescription.array(
                                    "disallow", "Not allowed", "Paths that they may not fetch.", FieldType.STRING),
                            FieldDescription.number("crawl_delay", "Pause", "Seconds between requests.")
                                    .orNull()),
                    FieldDescription.array(
                            "sitemaps", "Sitemaps", "The lists of pages that it names.", FieldType.STRING),
                    FieldDescription.integer(
                            "bytes", "Size", "How large the file is, in bytes, as far as it was read."),
                    FieldDescription.array(
                            "errors",
                            "Errors",
                            "Lines that crawlers pass over, and why; at most " + RobotsFile.MOST_ERRORS + ".",
                            FieldType.STRING))
            .findings(
                    DISALLOWED,
                    SERVER_ERROR,
                    MISSING,
                    REFUSED,
                    REDIRECTS,
                    MALFORMED,
                    TOO_LARGE,
                    A_PAGE,
                    TYPE,
                    NOT_UTF8,
                    MARK,
                    DELAY,
                    RedirectFindings.CODE)
            .build();

    /**
     * What was seen.
     *
     * @param path what is asked about
     * @param content null where there is no file
     */
    public record Evidence(RedirectTrace journey, String path, @Nullable Content content) {}

    /**
     * A file and what it says of what is asked.
     *
     * @param decisive the rule that decides; null where none does
     */
    record Content(RobotsFile file, RobotsMatcher rules, RobotsFile.@Nullable Rule decisive, int bytes) {

        static Content of(byte[] bytes, boolean more, String agent, String path) {
            RobotsFile file = RobotsFile.parse(bytes, more);
            RobotsMatcher rules = RobotsMatcher.of(file, agent);
            return new Content(file, rules, rules.decisive(path), bytes.length);
        }
    }

    @Override
    public ModuleDescription description() {
        return DESCRIPTION;
    }

    @Override
    public Future<Evidence> collect(Target target, CheckContext context) {
        Target.Url url = (Target.Url) target;
        String wanted = context.options().text(PATH);
        String path = wanted == null ? url.pathAndQuery() : wanted;
        return context.probe(HttpProbe.class)
                .page(context, new Target.Url(url.scheme(), url.host(), url.port(), "/robots.txt"))
                .compose(journey -> read(journey, path, context));
    }

    private static Future<Evidence> read(RedirectTrace journey, String path, CheckContext context) {
        HttpExchange answer = journey.page();
        if (answer == null || answer.status() / 100 != 2) {
            return Future.succeededFuture(new Evidence(journey, path, null));
        }
        return context.executeBlocking(
                        () -> content(answer, String.valueOf(context.options().text(AGENT)), path))
                .map(content -> new Evidence(journey, path, content));
    }

    static Content content(HttpExchange answer, String agent, String path) throws CheckFailure {
        HttpBody body = answer.content(HttpProbe.PAGE_BYTES);
        boolean more = body.truncated() && answer.bodyError() == null;
        return Content.of(body.bytes(), more, agent, path);
    }

    @Override
    public Evaluation evaluate(Evidence evidence, Options options) {
        HttpExchange answer = evidence.journey().page();
        CheckError error = evidence.journey().error();
        HttpExchange last = evidence.journey().last();
        boolean astray = answer == null
                && error != null
                && (error.code() == ErrorCode.TOO_MANY_REDIRECTS || error.code() == ErrorCode.REDIRECT_LOOP);
        if (last == null || answer == null && !astray) {
            return new Evaluation(Map.of(), List.of(), error);
        }
        Content content = evidence.content();
        boolean unreachable = last.status() >= 500;
        boolean allowed = content == null
                ? !unreachable
                : content.decisive() == null || content.decisive().allow();

        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("found", content != null);
        fields.put("status", last.status());
        fields.put("allowed", allowed);
        fields.put("crawl_delay", content == null ? null : content.rules().crawlDelay());
        fields.put(
                "groups",
                content == null
                        ? List.of()
                        : content.file().groups().stream().map(RobotsTxt::row).toList());
        fields.put("sitemaps", content == null ? List.of() : content.file().sitemaps());
        fields.put("bytes", content == null ? 0 : content.bytes());
        fields.put("errors", content == null ? List.of() : content.file().errors());

        List<Finding> found = new ArrayList<>();
        if (content != null) {
            if (!allowed) {
                found.add(DISALLOWED.found(refusal(content, evidence.path())));
            }
            content(content, answer, found);
        } else if (astray) {
            found.add(REDIRECTS.found());
        } else {
            found.add(absence(last.status()));
        }
        found.sort(Comparator.comparing(Finding::level, Level.MOST_SEVERE_FIRST));
        return RedirectFindings.told(
                evidence.journey(),
                new Evaluation(fields, found, astray ? null : error),
                "The file judged",
                "/robots.txt");
    }

    private static Finding absence(int status) {
        if (status >= 500) {
            return SERVER_ERROR.found("The server fails when it is asked for robots.txt ("
                    + status
                    + "), so crawlers stay away from all pages.");
        }
        if (status == 404 || status == 410) {
            return MISSING.found();
        }
        return status >= 400 ? REFUSED.found() : REDIRECTS.found();
    }

    private static void content(Content content, @Nullable HttpExchange answer, List<Finding> found) {
        RobotsFile file = content.file();
        String type = String.valueOf(answer == null ? null : answer.headers().first("content-type"))
                .toLowerCase(Locale.ROOT);
        boolean page = type.contains("html") && file.groups().isEmpty();
        if (page) {
            found.add(A_PAGE.found());
        }
        if (file.tooLarge()) {
            found.add(TOO_LARGE.found());
        }
        if (!file.utf8()) {
            found.add(NOT_UTF8.found());
        }
        if (!page && !file.errors().isEmpty()) {
            found.add(MALFORMED.found(file.errors().get(0)));
        }
        if (!page && !type.startsWith("text/plain")) {
            found.add(TYPE.found());
        }
        if (file.byteOrderMark()) {
            found.add(MARK.found());
        }
        Double delay = content.rules().crawlDelay();
        if (delay != null && delay > 0) {
            found.add(DELAY.found());
        }
    }

    private static String refusal(Content content, String path) {
        RobotsFile.Rule rule = content.decisive();
        String crawler = content.rules().crawler();
        return "The rule \"Disallow: "
                + shown(rule == null ? "" : rule.path())
                + "\" asks "
                + (crawler == null ? "every crawler that has no rules of its own" : crawler)
                + " not to fetch "
                + shown(path)
                + ".";
    }

    private static Map<String, @Nullable Object> row(RobotsFile.Group group) {
        Map<String, @Nullable Object> row = new LinkedHashMap<>();
        row.put("agents", group.agents());
        row.put("allow", paths(group, true));
        row.put("disallow", paths(group, false));
        row.put("crawl_delay", group.crawlDelay());
        return row;
    }

    private static List<String> paths(RobotsFile.Group group, boolean allow) {
        return group.rules().stream()
                .filter(rule -> rule.allow() == allow)
                .map(RobotsFile.Rule::path)
                .toList();
    }

    private static String shown(String text) {
        return text.length() <= SHOWN_TEXT ? text : text.substring(0, SHOWN_TEXT) + "…";
    }
}
