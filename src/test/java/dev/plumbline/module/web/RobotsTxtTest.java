package dev.plumbline.module.web;

import static dev.plumbline.lab.VirtualHosts.responding;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.primitives.Bytes;
import crawlercommons.robots.SimpleRobotRulesParser;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.lab.HttpFixture;
import dev.plumbline.lab.VirtualHosts;
import dev.plumbline.probe.http.HttpProbe;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Verdict;
import dev.plumbline.robots.RobotsFile;
import dev.plumbline.robots.RobotsMatcher;
import dev.plumbline.robots.RobotsStandard;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.sheet.Options;
import dev.plumbline.support.BrotliEncoder;
import dev.plumbline.support.Curl;
import dev.plumbline.support.NginxServer;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.StringLength;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RobotsTxtTest {
    @RegisterExtension
    static final HttpFixture FIXTURE = HttpFixture.start();

    private static final ModuleDefinition<RobotsTxt.Evidence> MODULE = SheetModule.load(new RobotsTxt());

    /** RFC 9309 section 5.1. */
    private static final String SIMPLE =
            """
      User-Agent: *
      Disallow: *.gif$
      Disallow: /example/
      Allow: /publications/

      User-Agent: foobot
      Disallow:/
      Allow:/example/page.html
      Allow:/example/allowed.gif

      User-Agent: barbot
      User-Agent: bazbot
      Disallow: /example/page.html

      User-Agent: quxbot
      """;

    private static final HttpProbe PROBE = FIXTURE.probe(HttpFixture.policy(List.of("127.0.0.0/8"), List.of("*")));
    private static VirtualHosts sites;

    @TempDir
    Path folder;

    @BeforeAll
    static void start() {
        Map<String, Consumer<HttpServerRequest>> all = new LinkedHashMap<>();
        all.put("good", responding(200, "text/plain", SIMPLE));
        all.put("missing", responding(404, "text/html", "no"));
        all.put("gone", responding(410, "text/html", "no"));
        all.put("forbidden", responding(403, "text/html", "no"));
        all.put("broken", responding(503, "text/html", "no"));
        all.put("page", responding(200, "text/html", "<!doctype html>\n<title>Not found</title>"));
        all.put("typed", responding(200, "application/octet-stream", "User-agent: *\nDisallow:\n"));
        all.put("typo", responding(200, "text/plain", "User-agent: *\nDissallow: /\n"));
        all.put("colonless", responding(200, "text/plain", "User-agent *\nDisallow /private\n"));
        all.put("busy", responding(429, "text/html", "no"));
        all.put("closed", responding(200, "text/plain", "User-agent: *\nDisallow: /\n"));
        all.put("marked", responding(200, "text/plain", "\ufeffUser-agent: *\nDisallow: /\n"));
        all.put("sloppy", responding(200, "text/css", "\ufeffUser-agent: *\nfoo: bar\nDisallow: /\nCrawl-delay: 5\n"));
        all.put("empty", responding(200, "text/plain", ""));
        all.put(
                "latin1",
                responding(
                        "text/plain", "User-agent: *\nDisallow: /caf\u00e9\n".getBytes(StandardCharsets.ISO_8859_1)));
        all.put(
                "large",
                responding(200, "text/plain", "User-agent: *\nDisallow: /x\n".repeat(30_000) + "Disallow: /\n"));
        all.put("moved", request -> request.response()
                .setStatusCode(301)
                .putHeader("location", sites.url("good", "/robots.txt"))
                .end());
        all.put("loop", request -> request.response()
                .setStatusCode(302)
                .putHeader("location", "/robots.txt")
                .end());
        all.put("packed", request -> request.response()
                .putHeader("content-type", "text/plain")
                .putHeader("content-encoding", "br")
                .end("User-agent: *\nDisallow: /\n"));
        all.put("brotli", request -> request.response()
                .putHeader("content-type", "text/plain")
                .putHeader("content-encoding", "br")
                .end(Buffer.buffer(
                        BrotliEncoder.encode("User-agent: *\nDisallow: /\n".getBytes(StandardCharsets.UTF_8)))));
        all.put("reset", request -> request.connection().close());
        sites = FIXTURE.sites(all);
    }

    @Test
    void reportsAnErrorIfTheContentCannotBeDecoded() {
        CheckResult result = FIXTURE.check(MODULE, PROBE, sites.url("packed", "/"), "");

        assertThat(result.error().code()).isEqualTo(ErrorCode.HTTP_PROTOCOL_ERROR);
        assertThat(result.verdict()).isEqualTo(Verdict.ERROR);
        assertThat(result.findings()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "good, /, true, 200, true, PASS, -",
                "brotli, /, true, 200, false, WARN, path_disallowed",
                "good, /example/x, true, 200, false, WARN, path_disallowed",
                "moved, /example/x, true, 200, false, WARN, path_disallowed",
                "missing, /, false, 404, true, PASS, robots_missing",
                "gone, /, false, 410, true, PASS, robots_missing",
                "forbidden, /, false, 403, true, WARN, robots_refused",
                "broken, /, false, 503, false, FAIL, robots_unreachable",
                "loop, /, false, 302, true, WARN, robots_not_reached",
                "page, /, true, 200, true, WARN, robots_is_a_page",
                "typed, /, true, 200, true, PASS, robots_content_type",
                "typo, /, true, 200, true, WARN, robots_malformed",
                "closed, /, true, 200, false, WARN, path_disallowed",
                "closed, /robots.txt, true, 200, true, PASS, -",
                "marked, /, true, 200, false, WARN, byte_order_mark",
                "empty, /, true, 200, true, PASS, -",
                "latin1, /, true, 200, true, WARN, robots_not_utf8",
                "large, /, true, 200, true, WARN, robots_too_large"
            })
    void reportsFileStatusAndVerdict(
            String site,
            String path,
            boolean found,
            int status,
            boolean allowed,
            Verdict verdict,
            @Nullable String code) {
        CheckResult result = FIXTURE.check(MODULE, PROBE, sites.url(site, path), "");

        assertThat(result.error()).isNull();
        assertThat(result.fields())
                .containsEntry("found", found)
                .containsEntry("status", status)
                .containsEntry("allowed", allowed);
        assertThat(result.verdict()).as(result.findings().toString()).isEqualTo(verdict);
        if (code != null) {
            assertThat(result.findings()).extracting(Finding::code).contains(code);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "colonless, Googlebot, Google, false, path_disallowed",
        "colonless, Mozilla/5.0 (compatible; Googlebot/2.1; +http://a.test), Google, false, path_disallowed",
        "colonless, *, RFC 9309, true, robots_malformed",
        "colonless, otherbot, RFC 9309, true, robots_malformed",
        "busy, Googlebot, Google, false, robots_unreachable",
        "busy, otherbot, RFC 9309, true, robots_refused",
    })
    void reportsTheStandardOfTheEvaluation(String site, String agent, String standard, boolean allowed, String code) {
        CheckResult result =
                FIXTURE.check(MODULE, PROBE, sites.url(site, "/private"), "agent=" + agent.replace("+", ""));

        assertThat(result.fields()).containsEntry("standard", standard).containsEntry("allowed", allowed);
        assertThat(result.findings()).extracting(Finding::code).containsExactly(code);
    }

    @Test
    void reportsAnErrorIfTheServerDoesNotRespond() {
        CheckResult result = FIXTURE.check(MODULE, PROBE, sites.url("reset", "/"), "");

        assertThat(result.verdict()).isEqualTo(Verdict.ERROR);
        assertThat(result.fields()).containsEntry("allowed", null);
    }

    @Test
    void appliesOptionsForCrawlerAndPath() {
        String url = sites.url("good", "/example/x");

        assertThat(FIXTURE.check(MODULE, PROBE, url, "path=/publications/").fields())
                .containsEntry("allowed", true);
        assertThat(FIXTURE.check(MODULE, PROBE, url, "agent=BarBot/1.0").fields())
                .containsEntry("allowed", true);
        assertThat(FIXTURE.check(MODULE, PROBE, url, "agent=barbot&path=/example/page.html")
                        .findings())
                .extracting(Finding::message)
                .containsExactly("The rule `Disallow: /example/page.html` for `User-agent: barbot` disallows "
                        + "/example/page.html.");
        assertThat(FIXTURE.check(MODULE, PROBE, url, "agent=Mozilla/5.0 (compatible; BarBot/1.0)")
                        .fields())
                .containsEntry("allowed", true);
        assertThat(FIXTURE.check(MODULE, PROBE, url, "agent=otherbot").findings())
                .extracting(Finding::message)
                .containsExactly("The rule `Disallow: /example/` for `User-agent: *` disallows /example/x.");
    }

    @Test
    void ordersFindingsBySeverity() {
        assertThat(FIXTURE.check(MODULE, PROBE, sites.url("sloppy", "/x"), "").findings())
                .extracting(Finding::code)
                .containsExactly(
                        "path_disallowed", "robots_malformed", "robots_content_type", "byte_order_mark", "crawl_delay");
    }

    @Test
    void reportsTheTargetOfARedirect() {
        assertThat(FIXTURE.check(MODULE, PROBE, sites.url("moved", "/publications/"), "")
                        .findings())
                .extracting(Finding::message)
                .containsExactly("/robots.txt redirects to " + sites.url("good", "/robots.txt")
                        + ". This report is about that file.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "()", "/1.0", "2.1", "**", "* ", "-", "\u732b", "bot\u0000", "bot\n"})
    void rejectsAgentsWithoutAProductToken(String agent) {
        Options.Parsed parsed = Options.parse(MODULE.description(), Map.of("agent", agent));

        assertThat(parsed.options()).isNull();
        assertThat(parsed.faults()).singleElement().matches(fault -> fault.name()
                .equals("agent"));
        assertThat(parsed.faults().get(0).detail())
                .contains(
                        "for example `Googlebot`",
                        "`*` selects the rules for crawlers without a group",
                        "a letter from A to Z");
    }

    @ParameterizedTest
    @ValueSource(strings = {"*", "a", "MJ12bot", "360Spider", "\u732bbot", "(compatible; x)"})
    void acceptsAgentsWithAProductToken(String agent) {
        assertThat(Options.parse(MODULE.description(), Map.of("agent", agent)).faults())
                .isEmpty();
    }

    @Test
    void evaluatesTheRulesForAllCrawlersByDefault() {
        ModuleDescription module = MODULE.description();

        assertThat(Options.defaults(module).text("agent")).isEqualTo("*");
        assertThat(Options.parse(module, Map.of("agent", "*")).options().key())
                .isEqualTo(Options.defaults(module).key());
    }

    @Tag("integration")
    @Test
    void agreesWithCurlOnNginx() throws Exception {
        try (NginxServer nginx = NginxServer.start(folder, FIXTURE.identity(), "root FOLDER/www; gzip on;")) {
            Path www = Files.createDirectories(folder.resolve("www"));
            Files.writeString(www.resolve("robots.txt"), SIMPLE + "Sitemap: https://a.test/map.xml\r\n");

            CheckResult result = FIXTURE.check(MODULE, PROBE, nginx.https("/example/"), "");

            String file = Curl.run(nginx.https("/robots.txt"));
            assertThat(result.fields())
                    .containsEntry("bytes", file.length() + 2)
                    .containsEntry("sitemaps", List.of("https://a.test/map.xml"))
                    .containsEntry("allowed", false);
            assertThat(reference(file, "*", "/example/")).isFalse();
        }
    }

    /** RFC 9309 sections 5.1 and 5.2, and special characters of sections 2.2.2 and 2.2.3. */
    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "*, /, true",
                "*, /a.gif, false",
                "*, /a.gif?b, true",
                "*, /example/, false",
                "*, /publications/, true",
                "*, /publications/a.gif, true",
                "foobot, /, false",
                "foobot, /example/page.html, true",
                "FooBot, /example/allowed.gif, true",
                "foobot, /publications/, false",
                "barbot, /example/page.html, false",
                "bazbot, /example/page.html, false",
                "bazbot, /example/, true",
                "quxbot, /example/page.html, true",
                "otherbot, /example/page.html, false",
                "foobotnews, /, true"
            })
    void evaluatesTheExamplesOfRfc9309(String agent, String path, boolean allowed) {
        assertThat(allows(SIMPLE, agent, path)).isEqualTo(allowed);
    }

    @ParameterizedTest(name = "{0} {1} {2}")
    @CsvSource(
            quoteCharacter = '`',
            value = {
                // the longest match applies, and allow if both are of the same length
                "Allow: /example/page/|Disallow: /example/page/disallowed.gif, /example/page/disallowed.gif, false",
                "Allow: /example/page/|Disallow: /example/page/disallowed.gif, /example/page/, true",
                "Disallow: /p|Allow: /p, /page, true",
                "Allow: /p|Disallow: /p, /page, true",
                "Disallow: /|Allow: /p, /page, true",
                "Allow: /page|Disallow: /*.htm, /page.htm, false",
                "Allow: /$|Disallow: /, /, true",
                "Allow: /$|Disallow: /, /page, false",
                // wildcards
                "Disallow: /fish*, /fishheads, false",
                "Disallow: /fish*, /Fish, true",
                "Disallow: /fish/, /fish, true",
                "Disallow: /*.php$, /folder/a.php, false",
                "Disallow: /*.php$, /a.php?x, true",
                "Disallow: /*.php$, /a.php/b.php, false",
                "Disallow: /*.php, /windows.PHP, true",
                "Disallow: /a*b*c$, /axbxbxc, false",
                "Disallow: /a*b*c$, /axbxbx, true",
                "Disallow: *, /, false",
                "Disallow: /**, /a, false",
                "Disallow: /a$b, /a$bc, false",
                "Disallow: $, /, true",
                "Disallow: /a*a$, /a, true",
                // encoded wildcards
                "Disallow: /file-with-a-%2A.html, /file-with-a-*.html, false",
                "Disallow: /file-with-a-%2A.html, /file-with-a-x.html, true",
                "Disallow: /path/foo-%24, /path/foo-$, false",
                "Disallow: /path/foo-%24, /path/foo-, true",
                // percent-encoding
                "Disallow: /foo/bar?baz=quz, /foo/bar?baz=quz, false",
                "Disallow: /foo/bar?baz=https://foo.bar, /foo/bar?baz=https%3A%2F%2Ffoo.bar, false",
                "Disallow: /foo/bar?baz=https%3a%2f%2Ffoo.bar, /foo/bar?baz=https://foo.bar, false",
                "Disallow: /foo/bar/ツ, /foo/bar/%E3%83%84, false",
                "Disallow: /foo/bar/%e3%83%84, /foo/bar/ツ, false",
                "Disallow: /foo/bar/%62%61%7A, /foo/bar/baz, false",
                "Disallow: /a%2Fb, /a/b, true",
                // empty and invalid rules
                "Disallow:, /, true",
                "Disallow: page, /page, true",
                "Allow: /a, /b, true",
                "Disallow /, /, true",
                "Disallow: / # all of it, /x, false",
                "disallow : /x, /x, false",
                "DISALLOW:/x, /x, false"
            })
    void matchesPathsAsRfc9309Requires(String rules, String path, boolean allowed) {
        assertThat(allows("User-agent: *\n" + rules.replace('|', '\n'), "*", path))
                .isEqualTo(allowed);
    }

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource(
            quoteCharacter = '`',
            value = {
                // groups of the same crawler are combined
                "user-agent: a|disallow: /x|user-agent: b|disallow: /|user-agent: a|disallow: /y, a, /y, false",
                "user-agent: a|disallow: /x|user-agent: b|disallow: /|user-agent: a|disallow: /y, a, /x, false",
                "user-agent: a|disallow: /x|user-agent: b|disallow: /, a, /z, true",
                "user-agent: a|user-agent: b|disallow: /x, a, /x, false",
                // other records do not end a list of user agents
                "user-agent: a|sitemap: https://a.test/|user-agent: b|disallow: /x, a, /x, false",
                "user-agent: a|crawl-delay: 5|user-agent: b|disallow: /x, a, /x, false",
                "user-agent: a|nonsense|user-agent: b|disallow: /x, a, /x, false",
                "user-agent: a||# so|user-agent: b|disallow: /x, a, /x, false",
                "disallow: /x|user-agent: a|disallow: /y, a, /x, true",
                // versions and wildcards in names
                "user-agent: Googlebot/2.1|disallow: /, googlebot, /, false",
                "user-agent: googlebot, Googlebot/2.1 (+http://a.test), /, true",
                "user-agent: googlebot|disallow: /, Googlebot/2.1 (+http://a.test), /, false",
                // complete User-Agent headers
                "user-agent: googlebot|disallow: /, Mozilla/5.0 (compatible; Googlebot/2.1), /, false",
                "user-agent: GOOGLEBOT|disallow: /|user-agent: *, Mozilla/5.0 (compatible; Googlebot/2.1), /, false",
                "user-agent: *|disallow: /|user-agent: googlebot, Mozilla/5.0 (compatible; Googlebot/2.1), /, true",
                "user-agent: mozilla|disallow: /|user-agent: googlebot, Mozilla/5.0 (compatible; Googlebot/2.1), "
                        + "/, true",
                "user-agent: googlebot|user-agent: mozilla|disallow: /x|user-agent: googlebot-news|disallow: /, "
                        + "Mozilla/5.0 Googlebot-News Googlebot, /, false",
                "user-agent: google|disallow: /, Mozilla/5.0 (compatible; Googlebot/2.1), /, true",
                "user-agent: bot|disallow: /, Mozilla/5.0 (compatible; Googlebot/2.1), /, true",
                "user-agent: *|disallow: /, (), /, false",
                "user-agent: google|disallow: /, googlebot, /, true",
                "user-agent: MJ12bot|disallow: /, mj12bot, /, false",
                "user-agent: * google|disallow: /, anybot, /, false",
                "user-agent: a|disallow: /|user-agent: *|disallow: /x, *, /y, true"
            })
    void selectsTheGroupsOfACrawler(String file, String agent, String path, boolean allowed) {
        assertThat(allows(file.replace('|', '\n'), agent, path)).isEqualTo(allowed);
    }

    /** Where Google deviates from RFC 9309. The last column is the result of RFC 9309. */
    @ParameterizedTest(name = "{0} {1} {2}")
    @CsvSource(
            quoteCharacter = '`',
            value = {
                // a missing colon, between exactly two words
                "user-agent *|disallow /x, googlebot, /x, false, true",
                "user-agent: *|disallow\t/x, googlebot, /x, false, true",
                "user-agent: *|disallow /x /y, googlebot, /x, true, true",
                // misspelled records, and records with more letters
                "useragent: *|dissallow: /x, googlebot, /x, false, true",
                "user agent: *|disalow: /x, googlebot, /x, false, true",
                "user-agents: *|disallow-all: /x, googlebot, /x, false, true",
                "user-agent: *|disallow: /|allowed: /x, googlebot, /x, true, false",
                "user-agent: *|disallows: /x, googlebot, /x, false, true",
                "user-agent: *|forbid: /x, googlebot, /x, true, true",
                // an index page in an allow rule
                "user-agent: *|disallow: /|allow: /a/index.html, googlebot, /a/, true, false",
                "user-agent: *|disallow: /|allow: /a/index.htm, googlebot, /a/, true, false",
                "user-agent: *|disallow: /|allow: /a/index.html, googlebot, /a/b, false, false",
                "user-agent: *|disallow: /|allow: /a/index.html, googlebot, /a/index.htm, false, false",
                "user-agent: *|disallow: /a/|allow: /a/index.html, googlebot, /a/, true, false",
                "user-agent: *|disallow: /a/*.html|disallow: /a/?|allow: /a/index.html, googlebot, /a/?, false, false",
                "user-agent: *|disallow: /a/index.html, googlebot, /a/, true, true",
                // no decoding of percent-encodings
                "user-agent: *|disallow: /%62, googlebot, /b, true, false",
                "user-agent: *|disallow: /%2a, googlebot, /*, true, false",
                "user-agent: *|disallow: /%c3%a9, googlebot, /\u00e9, false, false",
                // names of crawlers
                "user-agent: googlebot2|disallow: /, googlebot, /, false, true",
                "user-agent: *bot|disallow: /, googlebot, /, true, false",
                "user-agent: googlebot|disallow: /, googlebot-image, /, false, true",
                "user-agent: *|disallow: /|user-agent: googlebot-image|disallow: /x, googlebot-image, /, true, true",
                "user-agent: googlebot|disallow: /|user-agent: googlebot-news|disallow: /x, googlebot-news, /, true, true"
            })
    void evaluatesGooglebotByGooglesDocumentation(
            String file, String agent, String path, boolean google, boolean rfc9309) {
        byte[] bytes = file.replace('|', '\n').getBytes(StandardCharsets.UTF_8);

        assertThat(allows(bytes, RobotsStandard.GOOGLE, agent, path)).isEqualTo(google);
        assertThat(allows(bytes, RobotsStandard.RFC_9309, agent, path)).isEqualTo(rfc9309);
    }

    @ParameterizedTest
    @CsvSource({
        "Googlebot, GOOGLE",
        "googlebot-image, GOOGLE",
        "Mozilla/5.0 (compatible; Googlebot/2.1), GOOGLE",
        "*, RFC_9309",
        "bingbot, RFC_9309",
        "NotGooglebot, RFC_9309",
        "Googlebots, RFC_9309"
    })
    void crawlerHasStandard(String agent, RobotsStandard standard) {
        assertThat(RobotsStandard.of(agent)).isEqualTo(standard);
    }

    /** A byte order mark can be incomplete, for example after a conversion. */
    @ParameterizedTest
    @CsvSource({"1, false, false", "2, false, false", "3, true, true"})
    void skipsTheByteOrderMark(int length, boolean mark, boolean utf8) {
        byte[] prefix = {(byte) 0xef, (byte) 0xbb, (byte) 0xbf};
        byte[] bytes = Bytes.concat(
                Arrays.copyOf(prefix, length), "user-agent: *\ndisallow: /\n".getBytes(StandardCharsets.UTF_8));

        for (RobotsStandard standard : RobotsStandard.values()) {
            RobotsFile file = RobotsFile.parse(bytes, false, standard);
            assertThat(file.errors()).isEmpty();
            assertThat(file.byteOrderMark()).isEqualTo(mark);
            assertThat(file.utf8()).isEqualTo(utf8);
            assertThat(RobotsMatcher.of(file, "*").disallowedBy("/")).isEqualTo("/");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"\n", "\r\n", "\r", "\n\n", " \n", "\t#x\r\n"})
    void acceptsEveryLineEnding(String end) {
        RobotsFile file = parse(String.join(end, "User-agent: a", "Disallow: /x", "Sitemap: http://b/"));

        assertThat(file.errors()).isEmpty();
        assertThat(file.sitemaps()).containsExactly("http://b/");
        assertThat(RobotsMatcher.of(file, "a").disallowedBy("/x")).isNotNull();
    }

    @Test
    void reportsInvalidLines() {
        RobotsFile file = parse(
                """
            Disallow: /early
            User-agent: *
            Dissallow: /x
            Useragent: b
            nothing
            Crawl-delay: soon
            Sitemap: /map.xml
            Disallow: x
            Host: a.test
            """);

        assertThat(file.errors())
                .containsExactly(
                        "Line 1: the rule is before the first User-agent.",
                        "Line 3: the record \"dissallow\" is unknown (did you mean \"Disallow\"?).",
                        "Line 4: the record \"useragent\" is unknown (did you mean \"User-agent\"?).",
                        "Line 5: \"nothing\" does not contain a colon.",
                        "Line 6: the Crawl-delay \"soon\" is not a number of seconds.",
                        "Line 7: the sitemap \"/map.xml\" is not an absolute URL.",
                        "Line 8: the path \"x\" does not start with a slash, so it does not match any URL.");
    }

    @Test
    void readsTheCrawlDelayOfTheCrawlersGroup() {
        RobotsFile file = parse("user-agent: a\ncrawl-delay: 2.5\nuser-agent: *\ncrawl-delay: 1\n\n");
        RobotsFile apart = parse("user-agent: a\ncrawl-delay: 2.5\nallow: /\nuser-agent: *\ncrawl-delay: 1\n");

        assertThat(RobotsMatcher.of(file, "a").crawlDelay()).isEqualTo(2.5);
        assertThat(RobotsMatcher.of(apart, "a").crawlDelay()).isEqualTo(2.5);
        assertThat(RobotsMatcher.of(apart, "b").crawlDelay()).isEqualTo(1);
    }

    @Test
    void ignoresRulesAfterTheSizeLimitAndTruncatedRules() {
        String head = "user-agent: *\nallow: /\n";
        String filler = "#".repeat(RobotsFile.MAX_BYTES - head.length() - 16) + "\n";

        RobotsFile file = parse(head + filler + "disallow: /a-long-path\ndisallow: /later\n");

        assertThat(file.tooLarge()).isTrue();
        assertThat(RobotsMatcher.of(file, "*").disallowedBy("/a-long-path")).isNull();
        assertThat(RobotsMatcher.of(file, "*").disallowedBy("/later")).isNull();
        assertThat(parse(head + filler).tooLarge()).isFalse();
    }

    /**
     * Patterns with both wildcards are excluded: for them, crawler-commons tries only the first match of the text
     * between them.
     */
    @Property(tries = 3_000)
    void agreesWithCrawlerCommonsOnRandomRules(@ForAll("rules") List<String> rules, @ForAll("paths") String path) {
        String file = "User-agent: *\n" + String.join("\n", rules) + "\n";

        assertThat(allows(file, "*", path)).as(file + path).isEqualTo(reference(file, "*", path));
    }

    @Provide
    Arbitrary<List<String>> rules() {
        Arbitrary<String> prefix = Arbitraries.strings().withChars("/ab*").ofMaxLength(6);
        Arbitrary<String> whole =
                Arbitraries.strings().withChars("/ab").ofMaxLength(6).map(s -> s + "$");
        return Combinators.combine(Arbitraries.of("Allow: /", "Disallow: /"), Arbitraries.oneOf(prefix, whole))
                .as((key, path) -> key + path)
                .list()
                .ofMinSize(1)
                .ofMaxSize(6);
    }

    @Provide
    Arbitrary<String> paths() {
        return Arbitraries.strings().withChars("/ab").ofMaxLength(8).map(s -> "/" + s);
    }

    @Property(tries = 2_000)
    void acceptsArbitraryBytes(@ForAll byte[] bytes, @ForAll @StringLength(max = 40) String path) {
        RobotsFile file = RobotsFile.parse(bytes, false, RobotsStandard.RFC_9309);

        RobotsMatcher.of(file, "bot").disallowedBy("/" + path);
        assertThat(file.errors().size()).isLessThanOrEqualTo(RobotsFile.MAX_ERRORS);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "user-agent: a\n",
                "disallow: /\n",
                "disallow: /a*a*a*a*b\n",
                "*",
                "a*",
                ":",
                "#",
                "\r",
                "\n",
                "%",
                "%2",
                "user-agent: *\ndisallow: /*a\n",
                "sitemap: x\n",
                " "
            })
    void parsesOneMebibyteOfRepeatedInputQuickly(String piece) {
        String head = "user-agent: *\ndisallow: /";
        byte[] bytes = (head + piece.repeat((1 << 20) / piece.length())).getBytes(StandardCharsets.UTF_8);
        Assertions.assertTimeoutPreemptively(
                Duration.ofSeconds(20), () -> RobotsTxt.Content.of(bytes, false, "*", "/" + "a".repeat(1_000))
                        .matcher()
                        .disallowedBy("/" + "ab".repeat(500)));
    }

    private static boolean reference(String file, String agent, String path) {
        return new SimpleRobotRulesParser()
                .parseContent(
                        "https://a.test/robots.txt",
                        file.getBytes(StandardCharsets.UTF_8),
                        "text/plain",
                        agent.equals("*") ? Set.of() : Set.of(agent))
                .isAllowed("https://a.test" + path);
    }

    private static boolean allows(String file, String agent, String path) {
        return RobotsMatcher.of(parse(file), agent).disallowedBy(path) == null;
    }

    private static boolean allows(byte[] bytes, RobotsStandard standard, String agent, String path) {
        RobotsFile file = RobotsFile.parse(bytes, false, standard);
        return RobotsMatcher.of(file, agent).disallowedBy(path) == null;
    }

    private static RobotsFile parse(String text) {
        return RobotsFile.parse(text.getBytes(StandardCharsets.UTF_8), false, RobotsStandard.RFC_9309);
    }
}
