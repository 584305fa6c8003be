package dev.plumbline.module.web;

import static dev.plumbline.module.web.HttpEvidence.codes;
import static dev.plumbline.module.web.HttpEvidence.page;
import static dev.plumbline.module.web.HttpEvidence.trace;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.LIST;

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.options.LoadState;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.lab.HttpFixture;
import dev.plumbline.module.web.page.ParsedPage;
import dev.plumbline.probe.http.HttpExchange;
import dev.plumbline.probe.http.HttpProbe;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.Evaluation;
import dev.plumbline.result.Verdict;
import dev.plumbline.sheet.Options;
import dev.plumbline.support.ChromiumBrowser;
import dev.plumbline.support.NginxServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
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

class MixedContentTest {
    @RegisterExtension
    static final HttpFixture FIXTURE = HttpFixture.start();

    private static final ModuleDefinition<ParsedPage<SubresourceCollector.Resources>> MODULE =
            SheetModule.load(new MixedContent());
    private static final Pattern CONSOLE =
            Pattern.compile("Mixed Content: .* '(http://mixed\\.test/[^']*)'.*(blocked|automatically upgraded).*");

    /** A resource of each kind. */
    private static final String RESOURCES =
            """
        <script src=http://mixed.test/script.js></script>
        <link rel=stylesheet href=http://mixed.test/style.css>
        <style>
        @import "http://mixed.test/import.css";
        @font-face { font-family: f; src: url(http://mixed.test/font.woff2) }
        p { font-family: f; background: url('http://mixed.test/background.png') }
        div { height: 9px; background-image: image-set("http://mixed.test/set.png" 1x) }
        </style>
        <p style="list-style: inside url(http://mixed.test/list.png); display: list-item">text</p><div></div>
        <img src=http://mixed.test/image.png>
        <img src=http://mixed.test/fallback.png srcset="/same.png 2x"><img srcset="http://mixed.test/candidate.png">
        <picture><source srcset=http://mixed.test/source.png><img src=/same.png></picture>
        <input type=image src=http://mixed.test/input.png>
        <iframe src=http://mixed.test/frame.html></iframe>
        <object data=http://mixed.test/object.html></object>
        <embed src=http://mixed.test/embed.html>
        <audio src=http://mixed.test/audio.mp3 preload=auto></audio>
        <video preload=auto poster=http://mixed.test/poster.png><source src=http://mixed.test/video.mp4></video>
        <svg><image href=http://mixed.test/svg.png width=9 height=9 /></svg>
        <img src=https://mixed.test/secure.png><img src=//mixed.test/relative.png><img src=/same.png>
        """;

    private static HttpProbe probe;

    @TempDir
    Path folder;

    @BeforeAll
    static void start() {
        probe = FIXTURE.probe(HttpFixture.policy(List.of("127.0.0.1/32"), List.of("*")));
    }

    /** Markup with H for {@code http://b.test/x}, and the treatment of that URL. */
    @ParameterizedTest(name = "{index}: {0}")
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "<script src=H></script> | active",
                "<script src=' H '></script> | active",
                "<script src=HTTP://B.test/x></script> | active",
                "<script src=https://b.test/x></script> | -",
                "<script src=//b.test/x></script> | -",
                "<script>'<script src=H>'</script> | -",
                "<!-- <script src=H></script> --> | -",
                "<template><script src=H></script></template> | -",
                "<noscript><img src=H></noscript> | -",
                "<link rel='StyleSheet' href=H> | active",
                "<link rel='alternate stylesheet' href=H> | active",
                "<link rel=preload as=script href=H> | active",
                "<link rel=preload as=image href=H> | passive",
                "<link rel=modulepreload href=H> | active",
                "<link rel=manifest href=H> | active",
                "<link rel='shortcut icon' href=H> | passive",
                "<link rel=canonical href=H> | -",
                "<link rel=alternate href=H> | -",
                "<a href=H>x</a> | -",
                "<iframe src=H></iframe> | active",
                "<object data=H></object> | active",
                "<embed src=H> | active",
                "<img src=H> | passive",
                "<img srcset='H 1x, https://b.test/2 2x'> | active",
                "<img srcset='https://b.test/2 2x,H'> | active",
                "<img src=H srcset='https://b.test/2 2x'> | active",
                "<picture><source srcset=H></picture> | active",
                "<picture><img src=H></picture> | active",
                "<picture></picture><img src=H> | passive",
                "<video src=H></video> | passive",
                "<video poster=H></video> | passive",
                "<video><source src=H></video> | passive",
                "<video><track src=H></video> | active",
                "<audio src=H></audio> | passive",
                "<input type=IMAGE src=H> | passive",
                "<input type=text src=H> | -",
                "<body background=H> | passive",
                "<svg><image xlink:href=H /></svg> | passive",
                "<svg><use href=H /></svg> | active",
                "<p style='background: url(H)'> | passive",
                "<style>@import url(H);</style> | active",
                "<style>@import 'H';</style> | active",
                "<style>@font-face{src:url(\"H\")}</style> | active",
                "<style>@font-face{src:local(x)}p{background:url(H)}</style> | passive",
                "<style>p{background:image-set('H' 1x)}</style> | passive",
                "<style>p{background:image-set('https://b.test/y' 1x);color:'H'}</style> | -",
                "<style>@namespace url(H);</style> | -",
                "<style>/* url(H) */</style> | -",
                "<style>p::before{content:'url(H)'}</style> | -",
                "<base href=http://b.test/><script src=x></script> | active",
                "<script src=x></script><base href=http://b.test/> | active",
                "<img src=http://192.0.2.1/x> | active",
                "<script src=http://127.0.0.1/x></script> | -",
                "<script src=http://[::1]/x></script> | -",
                "<script src=http://a.localhost/x></script> | -",
                "<form action=H> | form",
                "<button formaction=H> | form",
                "<meta http-equiv=Content-Security-Policy content=upgrade-insecure-requests><script src=H> | upgraded",
                "<script src=H></script><meta http-equiv=Content-Security-Policy content=upgrade-insecure-requests>"
                        + " | active",
                "<body><meta http-equiv=Content-Security-Policy content=upgrade-insecure-requests><script src=H>"
                        + " | active"
            })
    void classifiesResources(String body, @Nullable String treatment) {
        HttpExchange page =
                page("https://a.test/", 200, body.replaceAll("\\bH\\b", "http://b.test/x"), "Content-Type: text/html");

        assertThat(treatments(evaluate(page))).isEqualTo(treatment == null ? Set.of() : Set.of(treatment));
    }

    private static Set<String> treatments(Evaluation evaluation) {
        Set<String> treatments = new TreeSet<>();
        for (String field : List.of("active", "passive")) {
            if (!((List<?>) evaluation.fields().get(field)).isEmpty()) {
                treatments.add(field);
            }
        }
        List<String> found = codes(evaluation);
        assertThat(found.contains("active_mixed_content")).isEqualTo(treatments.contains("active"));
        assertThat(found.contains("passive_mixed_content")).isEqualTo(treatments.contains("passive"));
        if (found.contains("form_insecure")) {
            treatments.add("form");
        }
        if (found.contains("upgraded_by_policy")) {
            treatments.add("upgraded");
        }
        return treatments;
    }

    @Test
    void appliesPolicyOfHeader() {
        String html = "<script src=http://b.test/x></script><form action=http://b.test/y>";
        Evaluation upgraded = evaluate(page(
                "https://a.test/",
                200,
                html,
                "Content-Type: text/html",
                "Content-Security-Policy: default-src 'self'; Upgrade-Insecure-Requests"));
        Evaluation reportOnly = evaluate(page(
                "https://a.test/",
                200,
                html,
                "Content-Type: text/html",
                "Content-Security-Policy-Report-Only: upgrade-insecure-requests",
                "Content-Security-Policy: block-all-mixed-content"));

        assertThat(codes(upgraded)).containsExactly("upgraded_by_policy");
        assertThat(upgraded.fields()).containsEntry("upgrade_insecure", true).containsEntry("active", List.of());
        assertThat(codes(reportOnly)).containsExactly("active_mixed_content", "form_insecure", "block_all_obsolete");
        assertThat(reportOnly.fields()).containsEntry("upgrade_insecure", false);
    }

    /** Also of URLs that are not reported, because each of them takes memory and CPU time to resolve. */
    @ParameterizedTest
    @ValueSource(strings = {"http://other.test/", "http://127.0.0.1/"})
    void limitsTheCharactersOfResolvedUrls(String origin) {
        String base = "<base href=" + origin + "b".repeat(1_900) + "/>";
        Evaluation evaluation = evaluate(page("https://a.test/", 200, base + images(2_000), "Content-Type: text/html"));

        assertThat(codes(evaluation)).contains("resources_truncated");
    }

    private static String images(int count) {
        return IntStream.range(0, count).mapToObj(i -> "<img src=h" + i + ">").collect(Collectors.joining());
    }

    @Test
    void doesNotEvaluateResourcesOfPlainPage() {
        Evaluation evaluation =
                evaluate(page("http://a.test/", 200, "<script src=http://b.test/x>", "Content-Type: text/html"));

        assertThat(codes(evaluation)).containsExactly("plain_http");
        assertThat(evaluation.fields()).containsEntry("https", false).containsEntry("active", List.of());
    }

    @ParameterizedTest
    @CsvSource({
        "/mixed, FAIL, -",
        "/page, PASS, -",
        "/ok, FAIL, -",
        "/status/404, FAIL, -",
        "/bomb/gzip, FAIL, -",
        "/drip/body, ERROR, read_timeout",
        "/closed, ERROR, connection_reset"
    })
    void evaluatesLabPages(String path, Verdict verdict, String error) {
        CheckResult result =
                FIXTURE.check(MODULE, FIXTURE.lab().secure(path), path.startsWith("/drip") ? "timeout_ms=2000" : "");

        assertThat(result.verdict()).as(result.findings().toString()).isEqualTo(verdict);
        assertThat(result.error() == null ? "-" : result.error().code().id()).isEqualTo(error);
    }

    @Tag("integration")
    @Test
    void agreesWithChromiumOnNginx() throws Exception {
        String server = "root FOLDER/www; types { text/html html; } location /header { "
                + "add_header Content-Security-Policy upgrade-insecure-requests; try_files /page.html =404; }";
        try (NginxServer nginx = NginxServer.start(folder, FIXTURE.identity(), server)) {
            Path www = Files.createDirectories(folder.resolve("www"));
            Files.writeString(www.resolve("page.html"), "<!doctype html><title>x</title>" + RESOURCES);

            CheckResult result = FIXTURE.check(MODULE, probe, nginx.https("/page.html"), "");
            Visit visit = visit(nginx.https("/page.html"));

            assertThat(result.fields().get("active"))
                    .as("blocked")
                    .asInstanceOf(LIST)
                    .containsExactlyInAnyOrderElementsOf(visit.blocked());
            assertThat(result.fields().get("passive"))
                    .as("upgraded")
                    .asInstanceOf(LIST)
                    .containsExactlyInAnyOrderElementsOf(visit.upgraded());
            assertThat(visit.requested()).noneMatch(url -> url.startsWith("http://"));

            CheckResult upgraded = FIXTURE.check(MODULE, probe, nginx.https("/header"), "");
            Visit upgrading = visit(nginx.https("/header"));

            assertThat(upgraded.fields().get("active"))
                    .asInstanceOf(LIST)
                    .containsExactlyInAnyOrderElementsOf(upgrading.blocked());
            assertThat(upgrading.blocked()).hasSize(2);
            assertThat(upgraded.fields()).containsEntry("passive", List.of());
            assertThat(upgrading.requested())
                    .contains("https://mixed.test/script.js", "https://mixed.test/frame.html")
                    .noneMatch(url -> url.startsWith("http://"));
        }
    }

    /** What Chromium reports for a page. */
    private record Visit(Set<String> blocked, Set<String> upgraded, Set<String> requested) {}

    private static Visit visit(String url) {
        Visit visit = new Visit(new TreeSet<>(), new TreeSet<>(), new TreeSet<>());
        try (BrowserContext context = ChromiumBrowser.openLab()) {
            Page page = context.newPage();
            page.onConsoleMessage(message -> {
                Matcher matcher = CONSOLE.matcher(message.text().replace('\n', ' '));
                if (matcher.matches()) {
                    (matcher.group(2).equals("blocked") ? visit.blocked() : visit.upgraded()).add(matcher.group(1));
                }
            });
            page.route(Pattern.compile(".*mixed\\.test.*"), route -> {
                visit.requested().add(route.request().url());
                route.abort();
            });
            page.navigate(url);
            page.waitForLoadState(LoadState.NETWORKIDLE);
        }
        return visit;
    }

    @Property(tries = 500)
    void acceptsAnyPage(@ForAll @StringLength(max = 300) String text) {
        HttpExchange page = page("https://a.test/", 200, "x");

        SubresourceCollector.of(page, text);
        SubresourceCollector.of(page, "<img srcset='" + text + "'><p style='" + text + "'><style>" + text);
        List<String> urls = new ArrayList<>();
        CssUrls.find(text.replace('a', '(').replace('b', '"').replace('c', '{') + "url(", (url, use) -> urls.add(url));
        assertThat(urls).doesNotContainNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<img src=http://b/N>",
                "<img srcset='",
                "<p style=\"url(",
                "<style>@import '",
                "<style>url(",
                "url(x",
                "{",
                "(",
                "image-set(",
                "/*",
                "@font-face{",
                "\\",
                "'",
                "<picture>",
                "<link rel='a ",
                "h ,",
                "<base href="
            })
    void parsesOneMegabyteInSeconds(String part) {
        HttpExchange page = page("https://a.test/", 200, "x");
        String repeated = part.repeat((1 << 20) / part.length());
        String numbered = part.contains("N")
                ? IntStream.range(0, 50_000)
                        .mapToObj(i -> part.replace("N", "" + i))
                        .collect(Collectors.joining())
                : repeated;

        Assertions.assertTimeoutPreemptively(Duration.ofSeconds(10), () -> {
            assertThat(SubresourceCollector.of(page, numbered).resources())
                    .hasSizeLessThanOrEqualTo(SubresourceCollector.MAX_RESOURCES);
            SubresourceCollector.of(page, "<base href=http://b/" + "d/".repeat(900) + "><style>" + repeated);
            SubresourceCollector.of(page, "<img srcset=\"" + repeated);
        });
    }

    private static Evaluation evaluate(HttpExchange page) {
        SubresourceCollector.Resources resources =
                SubresourceCollector.of(page, page.body().text("text/html; charset=utf-8"));
        return MODULE.evaluate(new ParsedPage<>(trace(page), resources, false), Options.defaults(MODULE.description()));
    }
}
