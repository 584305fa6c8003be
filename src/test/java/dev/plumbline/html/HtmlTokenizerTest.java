package dev.plumbline.html;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.support.CollidingJson;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.StringLength;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Valid, malformed and hostile pages. */
class HtmlTokenizerTest {

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "<title>A</title> | A",
                "<TITLE lang=en>A</Title > | A",
                "<title>A &amp; B &lt;b&gt; &#x2713;</title> | A & B <b> ✓",
                "<title>A<b>B</b></title> | A<b>B</b>",
                "<title>A</titles></title> | A</titles>",
                "<title>A | A",
                "<!-- <title>B</title> --><title>A</title> | A",
                "<!--><title>A</title> --> | A",
                "<!---><title>A</title> --> | A",
                "<!-- x --!><title>A</title> | A",
                "<!doctype html><?php echo '>' ?><title>A</title> | A",
                "<script>'<title>B</title>'</script><title>A</title> | A",
                "<style><title>B</title></style><title>A</title> | A",
                "<textarea><title>B</title></textarea><title>A</title> | A",
                "<svg><title>B</title></svg><title>A</title> | A",
                "<svg/><title>A</title> | A",
                "<template><title>B</title></template><title>A</title> | A",
                "<a title='<title>B</title>'><title>A</title> | A",
                "<a b=c/><title>A</title> | A",
                "<a / b><title>A</title> | A",
                "<a b='><title>B</title>'><title>A</title> | A",
                "<a b=\">\"\"><title>A</title> | A",
                "</p <title>B</title>><title>A</title> | A",
                "a < b <title>A</title> | A",
                "</><title>A</title> | A",
                "</ x><title>A</title> | A"
            })
    void readsTitleLikeBrowsers(String page, String title) {
        assertThat(head(page).titles().get(0)).isEqualTo(title);
        assertThat(Jsoup.parse(page)
                        .select("title:not(svg title):not(template title)")
                        .get(0)
                        .wholeText())
                .as("jsoup")
                .isEqualTo(title);
    }

    /** The end of foreign content and of a bogus comment (HTML Living Standard sections 13.2.6.5, 13.2.5.41). */
    @Test
    void endsForeignContentAndBogusCommentsLikeTheStandard() {
        assertThat(head("<svg><g><p><title>A</title>").titles()).containsExactly("A");
        assertThat(head("<svg><g><b><meta name=description content=a>").metas("description"))
                .containsExactly("a");
        assertThat(head("<![CDATA[ <title>A</title> ]]>").titles()).isEmpty();
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "<meta name=description content=a> | a",
                "<META NAME=Description CONTENT='a b'> | a b",
                "<meta content=\"a\"name=\"description\"/> | a",
                "<meta name = description content = a/b> | a/b",
                "<meta name=description content='a&quot;b&copy'> | a\"b©",
                "<meta name=description content='?a=b&copy=c'> | ?a=b&copy=c",
                "<meta name=description content=a content=b> | a",
                "`<meta\nname='description'\tcontent='a\n  b'>` | a b",
                "<meta property=description content=a> | a"
            })
    void readsAttributesLikeBrowsers(String page, String description) {
        assertThat(head(page).metas("description").get(0)).isEqualTo(description);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "<h1>A</h1><h1>B</h1> | A,B",
                "<h1>H<b>ell</b>o</h1> | Hello",
                "<h1>A<br>B</h1> | A B",
                "`<h1>\n A &amp;\n B </h1>` | A & B",
                "<h1>A<script>x</script><!-- y -->B</h1> | AB",
                "<h1>A<h1>B</h1> | A,B",
                "<h1>A<h2>B</h2> | A",
                "<h1></h1> | ``",
                "<template><h1>B</h1></template><h1>A</h1> | A",
                "<H1 class='<h1>'>A</H1> | A"
            })
    void readsHeadings(String page, String headings) {
        assertThat(head(page).h1()).isEqualTo(List.of(headings.split(",", -1)));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "text/html; charset=utf-8 | <title>é</title> | utf-8 | é | UTF-8",
                "text/html; charset=\"ISO-8859-1\" | <title>é€</title> | iso-8859-1 | é€ | windows-1252",
                "text/html | <meta charset=windows-1251><title>Ж</title> | windows-1251 | Ж | windows-1251",
                "text/html | <meta http-equiv=Content-Type content='text/html; charset=gb2312'><title>中</title> | "
                        + "gb2312 | 中 | GBK",
                "text/html; charset=utf-8 | <meta charset=koi8-r><title>é</title> | utf-8 | é | UTF-8",
                "text/html; charset=nonsense | <title>é</title> | nonsense | é | UTF-8",
                "- | <title>é</title> | - | é | UTF-8"
            })
    void detectsEncoding(String type, String page, String charset, String title, String written) {
        HtmlHead head = HtmlHead.parse(page.getBytes(java.nio.charset.Charset.forName(written)), type);

        assertThat(head.titles()).containsExactly(title);
        assertThat(head.outerCharset() == null ? head.metaCharset() : head.outerCharset())
                .isEqualTo(charset);
    }

    @Test
    void prefersByteOrderMark() {
        for (String charset : List.of("UTF-8", "UTF-16LE", "UTF-16BE")) {
            byte[] page = "\ufeff<title>é</title>".getBytes(java.nio.charset.Charset.forName(charset));

            HtmlHead head = HtmlHead.parse(page, "text/html; charset=koi8-r");

            assertThat(head.titles()).containsExactly("é");
            assertThat(head.outerCharset()).isEqualToIgnoringCase(charset);
        }
    }

    /** jsoup builds the same tree as a browser. */
    @Property(tries = 1_000)
    void agreesWithJsoup(@ForAll("pages") String page) {
        HtmlHead head = head(page);
        Document document = Jsoup.parse(page);

        assertThat(head.titles())
                .isEqualTo(document.select("title").stream()
                        .map(t -> t.text().strip())
                        .toList());
        assertThat(head.h1())
                .isEqualTo(document.select("h1").stream().map(Element::text).toList());
        assertThat(head.metas("description"))
                .isEqualTo(document.select("meta[name=description]").eachAttr("content"));
        assertThat(head.links("canonical").stream().map(HtmlHead.Link::href).toList())
                .isEqualTo(document.select("link[rel=canonical]").eachAttr("href"));
    }

    @Provide
    Arbitrary<String> pages() {
        return Arbitraries.of(
                        "<p>text",
                        "<div class=\"a>b\">",
                        "</div>",
                        "<h1>One <em>and</em> only</h1>",
                        "<h1 id='x'>Two &amp; a half</h1>",
                        "<title>A &lt;title&gt;</title>",
                        "<meta name=description content=\"It's &quot;it&quot;\">",
                        "<meta name='description' content=plain>",
                        "<link rel=canonical href=/a?b=c&amp;d>",
                        "<script>if (a<b) document.write('<h1>no</h1>')</script>",
                        "<!-- <h1>no</h1> -->",
                        "<style>h1 > a { content: '</h1>' }</style>",
                        "<textarea><h1>no</h1></textarea>",
                        "<img alt='<h1>no</h1>' src=x>",
                        "<br/>",
                        "a < b && c > d",
                        "<ul><li>item</ul>")
                .list()
                .ofMaxSize(12)
                .map(parts -> "<!DOCTYPE html><html><body>" + String.join("", parts) + "</body></html>");
    }

    @Property(tries = 3_000)
    void acceptsAnyBytes(@ForAll byte[] bytes, @ForAll @StringLength(max = 60) String type) {
        assertThat(HtmlHead.parse(bytes, type)).isNotNull();
    }

    @Property(tries = 3_000)
    void acceptsAnyMarkup(@ForAll("markup") String page) {
        assertThat(head(page)).isNotNull();
    }

    @Provide
    Arbitrary<String> markup() {
        return Arbitraries.of(
                        "<",
                        ">",
                        "/",
                        "</",
                        "<!--",
                        "-->",
                        "<!",
                        "=",
                        "\"",
                        "'",
                        " ",
                        "a",
                        "h1",
                        "meta",
                        "name=",
                        "content=",
                        "<script type=application/ld+json>",
                        "</script>",
                        "{\"@type\":",
                        "[",
                        "]",
                        "}",
                        "&",
                        "&#x",
                        ";",
                        "svg",
                        "template",
                        "title",
                        "\0",
                        "\ud800",
                        "<link rel= href=")
                .list()
                .ofMaxSize(40)
                .map(parts -> parts.stream().collect(Collectors.joining()));
    }

    @Tag("integration")
    @ParameterizedTest
    @ValueSource(
            strings = {
                "<",
                "</",
                "<a",
                "<a ",
                "<a b=\"",
                "<a b=",
                "<!--",
                "<!---",
                "--",
                "<!",
                "<?",
                "<title>",
                "<title></",
                "<script>",
                "<script></",
                "<h1>",
                "<h1><div>",
                "<table><b>",
                "<i><table><b>",
                "<div>",
                "<svg>",
                "<template>",
                "&",
                "&#",
                "<h1>&amp;",
                "<meta name=a content=b>",
                "<link rel=canonical href=a>",
                "<script type=application/ld+json>[",
                "x",
                " ",
                "=",
                "\"",
                "<a b='c' ",
                "<b><p>",
                "<svg></",
                "</svg>"
            })
    void parsesHostileMegabyteInLinearTime(String piece) {
        List<byte[]> pages = new ArrayList<>();
        String bomb = piece.repeat((1 << 20) / piece.length());
        for (String before : List.of("", "<title>", "<h1>", "<a ", "<!--", "<a b='", "<script>")) {
            pages.add((before + bomb).getBytes(StandardCharsets.UTF_8));
        }
        Assertions.assertTimeoutPreemptively(
                Duration.ofSeconds(20), () -> pages.forEach(page -> HtmlHead.parse(page, null)));
    }

    @Test
    void limitsNumberOfItems() {
        StringBuilder page = new StringBuilder();
        for (int i = 0; i < 20_000; i++) {
            page.append("<meta name=n").append(i).append(" content=x><h1>h</h1><title>t</title>");
            page.append("<link rel=icon href=x><meta name=description content=d>");
            page.append("<script type=application/ld+json>{\"@type\":\"T")
                    .append(i)
                    .append("\"}</script>");
        }

        HtmlHead head = head(page.toString());

        assertThat(head.metas()).hasSizeLessThanOrEqualTo(HtmlHead.MAX_ITEMS + 1);
        assertThat(head.h1()).hasSize(HtmlHead.MAX_ITEMS);
        assertThat(head.titles()).hasSize(HtmlHead.MAX_ITEMS);
        assertThat(head.links()).hasSize(2 * HtmlHead.MAX_ITEMS);
        assertThat(head.jsonLdTypes()).hasSize(HtmlHead.MAX_ITEMS);
        assertThat(head.metas().get("description")).hasSizeLessThanOrEqualTo(HtmlHead.MAX_ITEMS);
    }

    @Test
    void parsesStructuredDataWithEqualHashCodes() {
        HtmlHead head =
                head("<script type=application/ld+json>{\"@type\":\"Thing\"," + CollidingJson.members() + "}</script>");

        assertThat(head.jsonLdTypes()).containsExactly("Thing");
    }

    private static HtmlHead head(String page) {
        return HtmlHead.parse(page.getBytes(StandardCharsets.UTF_8), "text/html; charset=utf-8");
    }
}
