package dev.plumbline.e2e.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.support.PlainTextAssert;
import dev.plumbline.support.SampleModule;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.jsoup.select.Elements;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The pages of a module that exercises every option and field type, with hostile values. */
@Tag("integration")
class GenericModulePagesTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final String REPORT = "/check/sample-module/bad.example";

    private static final String SHOWN = PlainTextAssert.HOSTILE_DISPLAYED;

    private static ServiceUnderTest service;

    @BeforeAll
    static void start(@TempDir Path folder) {
        service = SampleModule.withModules(folder, () -> ServiceUnderTest.start(DATABASE.url(), Map.of()));
    }

    @AfterAll
    static void stop() {
        service.close();
    }

    private static Document page(String path) {
        return Jsoup.parse(
                service.page(path, "Accept", "text/html").body(),
                service.uri("/").toString());
    }

    private static String fieldText(Document page, String name) {
        return page.select("#field-" + name + " dd").text();
    }

    @Test
    void toolPageHasAFieldForEveryOption() {
        Element form = page("/tools/sample-module").selectFirst("form.check");

        assertThat(form.attr("action")).isEqualTo("/check/sample-module");
        assertThat(form.select("input[name=target]").attr("placeholder")).isEqualTo("any domain");
        assertThat(form.select("input[type=checkbox][name=deep]").hasAttr("checked"))
                .isTrue();
        Elements wait = form.select("input[type=number][name=wait_seconds]");
        assertThat(List.of(wait.attr("value"), wait.attr("min"), wait.attr("max")))
                .containsExactly("7", "1", "90");
        assertThat(wait.next().text()).isEqualTo("s");
        assertThat(form.select("select[name=color] option").eachText()).containsExactly("red", "green", "blue");
        assertThat(form.select("input[name=label]").attr("maxlength")).isEqualTo("9");
        assertThat(form.select("input[name=kinds]").attr("value")).isEqualTo("A,MX");
        assertThat(form.text()).contains("The time to wait. Range: 1 to 90. Default: 7 s.");
        for (Element input : form.select(".options input:not([type=hidden]), select")) {
            assertThat(form.select("label[for=" + input.id() + "]"))
                    .as(input.id())
                    .hasSize(1);
            assertThat(form.getElementById(input.attr("aria-describedby"))).isNotNull();
        }
    }

    @Test
    void formRedirectsToTheShortestUrl() {
        String sent = "/check/sample-module?target=+some.example+&deep=false&wait_seconds=&color=red&label=x"
                + "&kinds=A%2C+TXT";

        assertThat(service.page(sent).statusCode()).isEqualTo(303);
        assertThat(service.page(sent).headers().firstValue("location"))
                .contains("/check/sample-module/some.example?deep=false&label=x&kinds=A%2CTXT");
        assertThat(service.page(sent.replace("deep=false", "deep=false&deep=true"))
                        .headers()
                        .firstValue("location"))
                .contains("/check/sample-module/some.example?label=x&kinds=A%2CTXT");
        assertThat(service.page("/check/sample-module").headers().firstValue("location"))
                .contains("/tools/sample-module");
    }

    @Test
    void toolPageDescribesTheModule() {
        Document list = page("/tools?q=sample-module+EVERY");
        Document tool = page("/tools/sample-module");

        assertThat(list.select(".tools a").eachText()).containsExactly("Sample tool");
        assertThat(list.select(".group h3").eachText()).containsExactly("Samples");
        assertThat(page("/tools?q=zebra").select(".tools a")).isEmpty();
        assertThat(tool.select("h1").text()).isEqualTo("Sample tool");
        assertThat(tool.text())
                .contains("Has every field type", "Sampled at", "size_bytes", "sample_warning", "color")
                .contains("check sample-module sample.example");
        assertThat(tool.select("[id^=field-]")).hasSize(28);
        assertThat(tool.select("h2").eachText()).containsExactly("Example", "Options", "Fields", "Findings");
        assertThat(tool.select("details:not([open]) summary:contains(3 finding codes) ~ ul code")
                        .eachText())
                .containsExactly("sample_fail", "sample_warning", "sample_info");
        assertThat(tool.select("summary:contains(finding codes) ~ ul strong").eachText())
                .containsExactly("Sample failure", "Sample warning", "Sample information");
    }

    @Test
    void reportStartsWithVerdictAndFindings() {
        Document page = page(REPORT);

        assertThat(page.select(".verdict").hasClass("fail")).isTrue();
        assertThat(page.select(".verdict h1").text()).isEqualTo("bad.example");
        assertThat(page.select(".verdict .summary").text())
                .isEqualTo("Fail. The text is " + SHOWN + " 1 more problem.");
        assertThat(page.select(".findings h3").eachText())
                .containsExactly("Fail Sample failure", "Warning Sample warning", "Info Sample information");
        assertThat(page.select(".findings > li").first().text()).contains("Fix the sample.");
        assertThat(page.select(".findings a[href=#field-text]").text()).isEqualTo("Sample text");
        assertThat(page.select(".findings a[href^=https]").attr("href"))
                .isEqualTo("https://www.rfc-editor.org/rfc/rfc2606#section-2");
        assertThat(page("/check/sample-module/good.example")
                        .select(".verdict .summary")
                        .text())
                .isEqualTo("Pass. No problems found.");
    }

    @Test
    void everyFieldTypeIsFormatted() {
        Document page = page(REPORT);

        assertThat(fieldText(page, "text")).isEqualTo(SHOWN);
        assertThat(fieldText(page, "kind")).isEqualTo("other");
        assertThat(page.select("#field-lines dd pre").text()).startsWith("first");
        assertThat(page.select("#field-link dd a").attr("href")).isEqualTo(SampleModule.GOOD_LINK);
        assertThat(page.select("#field-link dd a").attr("rel")).isEqualTo("nofollow noopener");
        assertThat(fieldText(page, "hit_count")).isEqualTo("1,234,567");
        assertThat(fieldText(page, "size_bytes")).isEqualTo("1.5 MB");
        assertThat(page.select("#field-size_bytes dd span").attr("title")).isEqualTo("1536000 bytes");
        assertThat(fieldText(page, "left_days")).isEqualTo("1 day");
        assertThat(fieldText(page, "share_percent")).isEqualTo("12.5 %");
        assertThat(fieldText(page, "flag")).isEqualTo("Yes");
        assertThat(fieldText(page, "nothing")).isEqualTo("Not used");
        Elements sampledAt = page.select("#field-sampled_at time");
        assertThat(sampledAt.attr("datetime")).isEqualTo("2026-02-03T04:05:06.000Z");
        assertThat(sampledAt.text()).isEqualTo("3 Feb 2026, 04:05 UTC");
        assertThat(page.select("#field-names li").eachText()).containsExactly(SHOWN, "plain.example", "Not determined");
        assertThat(page.select("#field-numbers li").eachText()).containsExactly("1", "2");
        assertThat(page.select("#field-rows th").eachText()).containsExactly("Row name", "Row time");
        assertThat(page.select("#field-rows td").first().text()).isEqualTo(SHOWN);
        assertThat(page.select("#field-object dd").text()).isEqualTo(SHOWN);
        assertThat(page.select("#field-anything dt").first().text()).isEqualTo(SHOWN);
        assertThat(page.select("#field-anything li").eachText()).containsExactly(SHOWN, "5", "Yes");
    }

    @Test
    void symbolsAreCodeAndUnitsFollowFromDescriptions() {
        Document page = page(REPORT);

        assertThat(page.select("#field-sign dd code").text()).isEqualTo("-");
        assertThat(page.select("#field-dot dd code").text()).isEqualTo(".");
        assertThat(page.select("#field-kind dd code")).isEmpty();
        assertThat(fieldText(page, "pause")).isEqualTo("365 days");
        assertThat(fieldText(page, "delay")).isEqualTo("2.5 s");
    }

    @Test
    void undescribedRowsAreTables() {
        Elements kinds = page(REPORT).select("#field-records > dl > div");

        assertThat(kinds.select("> dt").eachText()).containsExactly("A", "SOA", "Private type");
        assertThat(kinds.get(0).select("th").eachText()).containsExactly("Name", "TTL", "Data");
        assertThat(kinds.get(0).select("tbody tr").first().select("td").eachText())
                .containsExactly("bad.example", "1 h", "192.0.2.1");
        assertThat(kinds.get(1).select("table")).isEmpty();
        assertThat(kinds.get(1).select("> dd dt").eachText())
                .containsExactly("Name", "TTL", "Data", "Serial", "Mail name", "Size");
        assertThat(kinds.get(1).select("> dd dd").eachText())
                .containsExactly("bad.example", "1 min", "a b c", "2026112101", "hostmaster", "2.0 kB");
        assertThat(kinds.get(2).select("th, td").eachText()).containsExactly(SHOWN, SHOWN);
    }

    @Test
    void nestedRowsAreCollapsed() {
        Document page = page(REPORT);
        Elements branches = page.select("#field-tree > dl > div > dd > .tree > li");

        assertThat(page.select("#field-tree > dl > div > dt").eachText()).containsExactly("Domain", "Terms");
        assertThat(branches.get(0).text()).isEqualTo(SHOWN + " Lookup count 1,234");
        assertThat(branches.get(1).select("> details > summary").text())
                .isEqualTo("include:a-rather-long-name.of-a-server.bad.example Lookup count 8");
        assertThat(branches.get(1).select("> details > dl > div > dt").eachText())
                .containsExactly("Domain", "Terms");
        assertThat(page.select("#field-tree details[open]")).isEmpty();
        assertThat(page.select("#field-tree details")).hasSize(9);
    }

    @Test
    void internationalNamesAreDisplayedInUnicode() {
        Document page = page("/check/sample-module/b%C3%BCcher.example");

        assertThat(page.select("h1").text()).isEqualTo("b\u00fccher.example (xn--bcher-kva.example)");
        assertThat(page.title()).contains("b\u00fccher.example (xn--bcher-kva.example)");
        assertThat(page.select("link[rel=canonical]").attr("href"))
                .endsWith("/check/sample-module/xn--bcher-kva.example");
        assertThat(page("/check/sample-module/xn--80ak6aa92e.example")
                        .select("h1")
                        .text())
                .isEqualTo("xn--80ak6aa92e.example");
    }

    @Test
    void chainsRedirectsAndTimingsAreDisplayed() {
        Document page = page(REPORT);

        assertThat(page.select("#field-certificates .chain > li .subject").eachText())
                .containsExactly("CN=" + SHOWN, "CN=Issuer");
        Elements steps = page.select("#field-steps .path > li");
        assertThat(steps.select(".status").eachText()).containsExactly("301", "302");
        assertThat(steps.get(0).select("a").attr("href")).isEqualTo("http://a.example/");
        assertThat(steps.get(1).select("a")).isEmpty();
        assertThat(steps.get(1).select("rect.span").attr("x")).isEqualTo("75.0");
        assertThat(page.select(".waterfall dt").eachText()).containsExactly("Lookup", "Connection", "Total");
        assertThat(page.select(".waterfall .number").eachText()).containsExactly("20 ms", "60 ms", "1.25 s");
        assertThat(page.select(".waterfall rect.span").eachAttr("x")).containsExactly("0.0", "1.6", "0.0");
    }

    @Test
    void textFromTargetsIsEscaped() {
        Document page = page(REPORT);

        assertThat(page.select("meta[property=og:description]").attr("content")).contains(SHOWN);
        PlainTextAssert.assertPlainText(page);
    }

    @Test
    void valuesOfUnexpectedTypesAreText() {
        Document page = page("/check/sample-module/invalid.example");

        assertThat(fieldText(page, "kind")).isEqualTo(SHOWN);
        assertThat(fieldText(page, "sampled_at")).isEqualTo(SHOWN);
        assertThat(fieldText(page, "link")).isEqualTo("https://example.com/[U+202E]gnp.exe");
        assertThat(page.select("#field-link dd a")).isEmpty();
        PlainTextAssert.assertPlainText(page);
    }
}
