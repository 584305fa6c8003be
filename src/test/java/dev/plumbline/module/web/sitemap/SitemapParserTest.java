package dev.plumbline.module.web.sitemap;

import static dev.plumbline.module.web.HttpEvidence.url;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import crawlercommons.sitemaps.SiteMap;
import crawlercommons.sitemaps.SiteMapParser;
import dev.plumbline.html.BoundedXmlReader;
import dev.plumbline.module.web.page.W3cDateTime;
import dev.plumbline.module.web.sitemap.SitemapFile.End;
import dev.plumbline.module.web.sitemap.SitemapFile.Kind;
import dev.plumbline.module.web.sitemap.SitemapFile.Problem;
import dev.plumbline.probe.http.HttpBody;
import dev.plumbline.probe.http.TestBodies;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.StringReader;
import java.net.URI;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.zip.GZIPOutputStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SitemapParserTest {
    private static final int MAX_BYTES = 8 << 20;
    private static final Instant NOW = Instant.parse("2026-11-20T10:00:00Z");
    private static final String XMLNS = " xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"";

    /** The example with several URLs of https://www.sitemaps.org/protocol.html. */
    private static final String EXAMPLE =
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
               <url>
                  <loc>http://www.example.com/</loc>
                  <lastmod>2005-01-01</lastmod>
                  <changefreq>monthly</changefreq>
                  <priority>0.8</priority>
               </url>
               <url>
                  <loc>http://www.example.com/catalog?item=12&amp;desc=vacation_hawaii</loc>
                  <changefreq>weekly</changefreq>
               </url>
               <url>
                  <loc>http://www.example.com/catalog?item=73&amp;desc=vacation_new_zealand</loc>
                  <lastmod>2004-12-23</lastmod>
                  <changefreq>weekly</changefreq>
               </url>
               <url>
                  <loc>http://www.example.com/catalog?item=74&amp;desc=vacation_newfoundland</loc>
                  <lastmod>2004-12-23T18:00:15+00:00</lastmod>
                  <priority>0.3</priority>
               </url>
               <url>
                  <loc>http://www.example.com/catalog?item=83&amp;desc=vacation_usa</loc>
                  <lastmod>2004-11-23</lastmod>
               </url>
            </urlset>
            """;

    /** The index of https://www.sitemaps.org/protocol.html. */
    private static final String INDEX =
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
               <sitemap>
                  <loc>http://www.example.com/sitemap1.xml.gz</loc>
                  <lastmod>2004-10-01T18:23:17+00:00</lastmod>
               </sitemap>
               <sitemap>
                  <loc>http://www.example.com/sitemap2.xml.gz</loc>
                  <lastmod>2005-01-01</lastmod>
               </sitemap>
            </sitemapindex>
            """;

    @Test
    void readsTheExamplesOfTheProtocol() {
        SitemapFile file = parse(EXAMPLE);
        SitemapFile index = parse(INDEX);

        assertThat(file.kind()).isEqualTo(Kind.URLSET);
        assertThat(file.end()).isEqualTo(End.COMPLETE);
        assertThat(file.urlCount()).isEqualTo(5);
        assertThat(file.newestLastmod()).isEqualTo("2005-01-01T00:00:00Z");
        assertThat(file.problems()).isEmpty();
        assertThat(file.errors()).isEmpty();
        assertThat(file.namespace()).isNull();
        assertThat(index.kind()).isEqualTo(Kind.SITEMAPINDEX);
        assertThat(index.urlCount()).isZero();
        assertThat(index.children())
                .containsExactly(
                        new SitemapFile.Child(
                                "http://www.example.com/sitemap1.xml.gz", Instant.parse("2004-10-01T18:23:17Z")),
                        new SitemapFile.Child(
                                "http://www.example.com/sitemap2.xml.gz", Instant.parse("2005-01-01T00:00:00Z")));
    }

    /** An entry of http://www.example.com/catalog/sitemap.xml. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "<loc>http://www.example.com/catalog/a</loc> | 1 | -",
                "<loc> http://www.example.com/catalog/a </loc> | 1 | -",
                "<loc><![CDATA[http://www.example.com/catalog/a?b&c]]></loc> | 1 | -",
                "<loc>http://www.example.com/catalog/&#252;</loc> | 1 | -",
                "<loc>HTTP://WWW.EXAMPLE.COM:80/catalog/</loc> | 1 | -",
                "<loc>http://www.example.com/</loc> | 1 | OUTSIDE",
                "<loc>https://www.example.com/catalog/a</loc> | 1 | FOREIGN",
                "<loc>http://www.example.com:8080/catalog/a</loc> | 1 | FOREIGN",
                "<loc>http://example.com/catalog/a</loc> | 1 | FOREIGN",
                "<loc>/catalog/a</loc> | 0 | LOC_INVALID",
                "<loc>//www.example.com/catalog/a</loc> | 0 | LOC_INVALID",
                "<loc>ftp://www.example.com/catalog/a</loc> | 0 | LOC_INVALID",
                "<loc>www.example.com/catalog/a</loc> | 0 | LOC_INVALID",
                "<loc>http://</loc> | 0 | LOC_INVALID",
                "<loc></loc> | 0 | LOC_MISSING",
                "<loc/> | 0 | LOC_MISSING",
                "<lastmod>2005-01-01</lastmod> | 0 | LOC_MISSING",
                "<image:loc>http://www.example.com/catalog/a</image:loc> | 0 | LOC_MISSING",
                "<Loc>http://www.example.com/catalog/a</Loc> | 0 | LOC_MISSING UNKNOWN_ELEMENT",
                "<loc>http://www.example.com/catalog/a</loc><loc>http://b.test/</loc> | 1 | UNKNOWN_ELEMENT",
                "<loc>http://www.example.com/catalog/a</loc><name>b</name> | 1 | UNKNOWN_ELEMENT",
                "<loc>http://www.example.com/catalog/a</loc><image:image><image:loc>http://b.test/</image:loc>"
                        + "</image:image> | 1 | -",
                "<loc>http://www.example.com/catalog/a</loc><lastmod>2027-01-01</lastmod> | 1 | LASTMOD_FUTURE",
                "<loc>http://www.example.com/catalog/a</loc><lastmod>2026-11-21</lastmod> | 1 | -",
                "<loc>http://www.example.com/catalog/a</loc><lastmod>yesterday</lastmod> | 1 | LASTMOD_INVALID",
                "<loc>http://www.example.com/catalog/a</loc><lastmod/> | 1 | LASTMOD_INVALID",
                "<loc>http://www.example.com/catalog/a</loc><priority>1.0</priority> | 1 | -",
                "<loc>http://www.example.com/catalog/a</loc><priority>1.1</priority> | 1 | VALUE_INVALID",
                "<loc>http://www.example.com/catalog/a</loc><priority>0,5</priority> | 1 | VALUE_INVALID",
                "<loc>http://www.example.com/catalog/a</loc><changefreq>never</changefreq> | 1 | -",
                "<loc>http://www.example.com/catalog/a</loc><changefreq>often</changefreq> | 1 | VALUE_INVALID"
            })
    void evaluatesEntries(String entry, int count, @Nullable String problems) {
        String text = "<urlset xmlns:image='i'" + XMLNS + "><url>" + entry + "</url></urlset>";

        SitemapFile file = parse(text.getBytes(StandardCharsets.UTF_8), false, "/catalog/", 10);

        assertThat(file.urlCount()).isEqualTo(count);
        assertThat(file.end()).isEqualTo(End.COMPLETE);
        assertThat(file.problems().keySet())
                .containsExactlyInAnyOrderElementsOf(
                        problems == null
                                ? List.of()
                                : Arrays.stream(problems.split(" "))
                                        .map(Problem::valueOf)
                                        .toList());
    }

    @ParameterizedTest(name = "{0} {1}")
    @CsvSource({"2048, 0", "2047, 1"})
    void limitsTheLengthOfUrls(int length, int count) {
        String start = "http://www.example.com/catalog/";

        SitemapFile file = parse(urlset(start + "x".repeat(length - start.length())));

        assertThat(file.urlCount()).isEqualTo(count);
    }

    /** The examples of https://www.w3.org/TR/NOTE-datetime, and invalid dates. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(
            nullValues = "-",
            value = {
                "1997, 1997-01-01T00:00:00Z",
                "1997-07, 1997-07-01T00:00:00Z",
                "1997-07-16, 1997-07-16T00:00:00Z",
                "1997-07-16T19:20+01:00, 1997-07-16T18:20:00Z",
                "1997-07-16T19:20:30+01:00, 1997-07-16T18:20:30Z",
                "1997-07-16T19:20:30.45+01:00, 1997-07-16T18:20:30.450Z",
                "1994-11-05T08:15:30-05:00, 1994-11-05T13:15:30Z",
                "1994-11-05T13:15:30Z, 1994-11-05T13:15:30Z",
                "2005-05-10T17:33:30+08:00, 2005-05-10T09:33:30Z",
                "2024-02-29, 2024-02-29T00:00:00Z",
                "2023-02-29, -",
                "1997-13, -",
                "1997-7-16, -",
                "16.07.1997, -",
                "1997-07-16T19:20:30, -",
                "1997-07-16 19:20:30Z, -",
                "1997-07-16T19:20:30+0100, -",
                "1997-07-16T25:00Z, -",
                "1997-07-16T19:20:30+19:00, -",
                "1997-07-16T19Z, -",
                "19970716, -",
                "+1997, -"
            })
    void parsesDates(String text, @Nullable Instant expected) {
        assertThat(W3cDateTime.parse(text)).isEqualTo(expected);
    }

    @ParameterizedTest(name = "[{index}] {0}")
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "<urlset XMLNS></urlset> | URLSET | COMPLETE | -",
                "<s:urlset xmlns:s='u'><s:url><s:loc>http://a.test/</s:loc></s:url></s:urlset> | URLSET | COMPLETE | -",
                "<?xml version='1.0'?><!-- > <a> --><?xml-stylesheet href='a'?><urlset XMLNS/> | URLSET | COMPLETE | -",
                "<feed xmlns='http://www.w3.org/2005/Atom'/> | ATOM | COMPLETE | -",
                "<rss version='2.0'><channel/></rss> | RSS | COMPLETE | -",
                "http://a.test/ | TEXT | COMPLETE | -",
                "<html><p></html> | - | NOT_A_SITEMAP | the response is an HTML page",
                "<!DOCTYPE html><p> | - | NOT_A_SITEMAP | the response is an HTML page",
                "<!-- a --> <!doctype HTML><p> | - | NOT_A_SITEMAP | the response is an HTML page",
                "<html xmlns='http://www.w3.org/1999/xhtml'/> | - | NOT_A_SITEMAP | the response is an HTML page",
                "<svg/> | - | NOT_A_SITEMAP | the root element is <svg>",
                "<URLSET/> | - | NOT_A_SITEMAP | the root element is <URLSET>",
                "'' | - | NOT_A_SITEMAP | the response is empty",
                "' ' | - | NOT_A_SITEMAP | the response is empty",
                "hello | - | NOT_A_SITEMAP | the content is not XML and not a list of URLs",
                "{} | - | NOT_A_SITEMAP | the content is not XML and not a list of URLs",
                "<!DOCTYPE urlset><urlset XMLNS/> | - | DOCTYPE | -",
                "<urlset XMLNS><!DOCTYPE urlset></urlset> | - | DOCTYPE | -",
                "<urlset XMLNS><url> | URLSET | MALFORMED | Line 1: XML document structures must start and end within"
                        + " the same entity.",
                "<urlset XMLNS><url></a></urlset> | URLSET | MALFORMED | Line 1: The element type \"url\" must be"
                        + " terminated by the matching end-tag \"</url>\".",
                "<urlset XMLNS>&nbsp;</urlset> | URLSET | MALFORMED | Line 1: The entity \"nbsp\" was referenced, but"
                        + " not declared.",
                "<urlset XMLNS><a:b/></urlset> | URLSET | MALFORMED | Line 1: the prefix of the element <a:b> is not"
                        + " declared.",
                "<urlset XMLNS/><urlset/> | URLSET | MALFORMED | Line 1: The markup in the document following the root"
                        + " element must be well-formed."
            })
    void recognizesTheFormat(String text, @Nullable Kind kind, End end, @Nullable String fault) {
        SitemapFile file = parse(text.replace(" XMLNS", XMLNS));

        assertThat(file.kind()).isEqualTo(kind);
        assertThat(file.end()).isEqualTo(end);
        assertThat(file.fault()).isEqualTo(fault == null ? "" : fault);
    }

    @ParameterizedTest
    @CsvSource({
        "http://www.sitemaps.org/schemas/sitemap/0.9, true",
        "https://www.sitemaps.org/schemas/sitemap/0.9, false",
        "http://www.sitemaps.org/schemas/sitemap/0.9/, false",
        "http://www.google.com/schemas/sitemap/0.84, false",
        "'', false"
    })
    void comparesTheNamespace(String namespace, boolean expected) {
        SitemapFile file = parse("<urlset xmlns='" + namespace + "'/>");
        SitemapFile prefixed = parse("<a:urlset xmlns='b' xmlns:a='" + namespace + "'/>");

        assertThat(file.namespace()).isEqualTo(expected ? null : namespace);
        assertThat(prefixed.namespace()).isEqualTo(expected ? null : namespace);
    }

    @Test
    void readsFeeds() {
        SitemapFile rss = parse("<rss><channel><link>http://www.example.com/</link><item><title>a</title>"
                + "<link>http://www.example.com/catalog/a</link><pubDate>Sun, 06 Nov 1994 08:49:37 +0100</pubDate></item>"
                + "<item><title>b</title></item></channel></rss>");
        SitemapFile atom = parse("<feed xmlns='http://www.w3.org/2005/Atom'><link href='http://b.test/'/><entry>"
                + "<link rel='edit' href='http://www.example.com/e'/><link href='http://www.example.com/catalog/a'/>"
                + "<updated>2003-12-13T18:30:02Z</updated></entry></feed>");

        assertThat(rss.urlCount()).isEqualTo(1);
        assertThat(rss.newestLastmod()).isEqualTo("1994-11-06T07:49:37Z");
        assertThat(rss.problems()).isEmpty();
        assertThat(atom.urlCount()).isEqualTo(1);
        assertThat(atom.newestLastmod()).isEqualTo("2003-12-13T18:30:02Z");
        assertThat(atom.problems()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"\n", "\r\n", "\r", "\n\n", " \n "})
    void readsTextSitemaps(String end) {
        SitemapFile file =
                parse("\ufeffhttp://www.example.com/catalog/a" + end + "http://www.example.com/catalog/b" + end + "c");

        assertThat(file.kind()).isEqualTo(Kind.TEXT);
        assertThat(file.urlCount()).isEqualTo(2);
        assertThat(file.problems()).containsOnlyKeys(Problem.LOC_INVALID);
        assertThat(file.utf8()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "UTF-8, UTF-8, true",
        "US-ASCII, UTF-8, true",
        "ISO-8859-1, ISO-8859-1, false",
        "windows-1252, windows-1252, false",
        "UTF-8, ISO-8859-1, false",
        "UTF-16, UTF-16, false",
        "UTF-16, UTF-16LE, false",
        "unknown, UTF-8, true"
    })
    void decodesTheDeclaredEncoding(String declared, String actual, boolean utf8) {
        String text = "<?xml version=\"1.0\" encoding=\"" + declared + "\"?>\n"
                + urlset("http://www.example.com/catalog/\u00fc");

        SitemapFile file = parse(text.getBytes(Charset.forName(actual)), false, 10);

        assertThat(file.utf8()).isEqualTo(utf8);
        assertThat(file.urlCount()).isEqualTo(1);
    }

    @Test
    void reportsSpacesBeforeTheDeclarationAndTheLine() {
        SitemapFile file = parse("\n\n<?xml version=\"1.0\"?>\n" + urlset("a"));

        assertThat(file.end()).isEqualTo(End.COMPLETE);
        assertThat(file.errors())
                .containsExactly(
                        "The XML declaration is not at the start of the file.",
                        "Line 4: a is not a valid absolute URL of less than 2048 characters.");
    }

    @Test
    void endsAtTheLimits() throws IOException {
        String url = "http://www.example.com/catalog/a";
        byte[] two = urlset(url, url).getBytes(StandardCharsets.UTF_8);

        assertThat(parse(two, false, 1).end()).isEqualTo(End.URL_LIMIT);
        assertThat(parse(two, false, 1).urlCount()).isEqualTo(1);
        assertThat(parse(two, false, 2).end()).isEqualTo(End.COMPLETE);
        assertThat(parse((url + "\n" + url).getBytes(StandardCharsets.UTF_8), false, 1)
                        .end())
                .isEqualTo(End.URL_LIMIT);
        for (int length = 1; length < two.length; length++) {
            SitemapFile part = parse(Arrays.copyOf(two, length), true, 10);
            assertThat(part.end()).as(length + ": " + part).isIn(End.SIZE_LIMIT, End.COMPLETE);
            assertThat(part.problems()).isEmpty();
        }
        byte[] packed = gzip(two);
        assertThat(parse(packed, false, 10).urlCount()).isEqualTo(2);
        assertThat(parse(Arrays.copyOf(packed, packed.length - 9), true, 10).end())
                .isEqualTo(End.SIZE_LIMIT);
        assertThat(parse(Arrays.copyOf(packed, packed.length - 9), false, 10).end())
                .isEqualTo(End.MALFORMED);
    }

    /** Text that a parser would buffer, or entities that it would expand. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            value = {
                "<a b=' | x | TOO_LONG",
                "<a b=' | > | TOO_LONG",
                "<!-- | > | TOO_LONG",
                "<!--> | < | TOO_LONG",
                "<!-- | -> | TOO_LONG",
                "<![CDATA[ | ]> | TOO_LONG",
                "<![CDATA[ | <a> | TOO_LONG",
                "<?a | > | TOO_LONG",
                "<?a | <b> | TOO_LONG",
                "a | x | TOO_LONG",
                "<!D | x | DOCTYPE",
                "<!ENTITY | x | DOCTYPE",
                "<!-x | x | MALFORMED"
            })
    void boundsTokens(String start, String repeated, BoundedXmlReader.Fault fault) {
        String text = "<urlset>" + start + repeated.repeat(2 * BoundedXmlReader.MAX_TOKEN / repeated.length());
        BoundedXmlReader reader = new BoundedXmlReader(new StringReader(text));
        char[] buffer = new char[1_000];

        assertThatThrownBy(() -> {
                    for (int count = 0; count >= 0; ) {
                        count = reader.read(buffer, 0, buffer.length);
                    }
                })
                .isInstanceOf(IOException.class);

        assertThat(reader.fault()).isEqualTo(fault);
        assertThat(reader.ended()).isFalse();
    }

    @Test
    void readsShortTokens() throws IOException {
        String text = "<?a b?><!-- - -- -> ?> ]]> --><a b='>'>x<![CDATA[ ]] > ]]]></a>\n".repeat(100_000);

        BoundedXmlReader reader = new BoundedXmlReader(new StringReader(text));
        StringBuilder read = new StringBuilder();
        for (int c = reader.read(); c >= 0; c = reader.read()) {
            read.append((char) c);
        }

        assertThat(read).hasToString(text);
        assertThat(reader.fault()).isNull();
    }

    @Property(tries = 300)
    void parsesArbitraryMarkup(@ForAll("documents") String text) {
        SitemapFile file = parse(text);

        assertThat(file.urlCount()).isLessThanOrEqualTo(10_000);
        assertThat(file.errors()).hasSizeLessThanOrEqualTo(SitemapEntries.MAX_ERRORS);
    }

    @Property(tries = 300)
    void parsesArbitraryBytes(@ForAll byte[] bytes, @ForAll boolean truncated) throws IOException {
        assertThat(parse(bytes, truncated, 10).bytes()).isEqualTo(bytes.length);
        assertThat(parse(gzip(bytes), truncated, 10).bytes()).isEqualTo(bytes.length);
    }

    /** Counts the same valid URLs as the parser of crawler-commons. */
    @Property(tries = 100)
    void agreesWithCrawlerCommons(@ForAll("entryLists") List<String> entries) throws Exception {
        String text = "<?xml version=\"1.0\"?><urlset xmlns:image=\"http://www.google.com/schemas/sitemap-image/1.1\""
                + XMLNS + ">" + String.join("\n", entries) + "</urlset>";

        SiteMapParser parser = new SiteMapParser(false);
        parser.setStrictNamespace(true);
        SiteMap reference = (SiteMap) parser.parseSiteMap(
                "text/xml",
                text.getBytes(StandardCharsets.UTF_8),
                URI.create("http://www.example.com/sitemap.xml").toURL());

        assertThat(parse(text).urlCount())
                .as(text)
                .isEqualTo(reference.getSiteMapUrls().size());
    }

    /** Passes each entry to the consumer, as a URL or as an error. */
    @Property(tries = 100)
    void noEntryIsLost(@ForAll("entryLists") List<String> entries) {
        List<String> urls = new ArrayList<>();
        List<String> unread = new ArrayList<>();
        String text = "<urlset xmlns:image=\"http://www.google.com/schemas/sitemap-image/1.1\"" + XMLNS + ">"
                + String.join("\n", entries) + "</urlset>";

        SitemapFile file = parse(text, urls, unread);

        assertThat(file.end()).isEqualTo(End.COMPLETE);
        assertThat(urls).hasSize(file.urlCount());
        assertThat(urls.size() + unread.size()).isEqualTo(entries.size());
    }

    @Property(tries = 300)
    void theConsumerReceivesTheCountedUrls(@ForAll("documents") String text) {
        List<String> urls = new ArrayList<>();

        assertThat(parse(text, urls, new ArrayList<>()).urlCount()).isEqualTo(urls.size());
    }

    private static SitemapFile parse(String text, List<String> urls, List<String> unread) {
        SitemapEntries.Scope scope = new SitemapEntries.Scope(
                url("http://www.example.com/sitemap.xml"), Set.of("http://www.example.com"), null, NOW);
        SitemapEntries.EntryConsumer consumer = new SitemapEntries.EntryConsumer() {
            @Override
            public void url(String url) {
                urls.add(url);
            }

            @Override
            public void unread(String error) {
                unread.add(error);
            }
        };
        return SitemapParser.parse(
                TestBodies.of(text.getBytes(StandardCharsets.UTF_8), false),
                MAX_BYTES,
                new SitemapEntries(scope, 10_000, consumer));
    }

    @Provide
    Arbitrary<List<String>> entryLists() {
        return Arbitraries.of(
                        "<loc>http://www.example.com/%d</loc>",
                        "<loc>\n http://www.example.com/a?b=%d&amp;c </loc>",
                        "<loc><![CDATA[http://www.example.com/?%d&]]></loc>",
                        "<loc>http://www.example.com/%d</loc><lastmod>2020-01-01</lastmod>",
                        "<lastmod>2020-01-0%d</lastmod>",
                        "<image:image><image:loc>http://b.test/%d</image:loc></image:image>",
                        "<loc>http://www.example.com/%d</loc><image:image><image:loc>http://b.test/</image:loc>"
                                + "</image:image>",
                        "<!-- <loc>http://www.example.com/%d</loc> -->")
                .list()
                .ofMaxSize(10)
                .map(templates -> IntStream.range(0, templates.size())
                        .mapToObj(i -> "<url>" + templates.get(i).formatted(i) + "</url>")
                        .toList());
    }

    @Provide
    Arbitrary<String> documents() {
        return Arbitraries.of(
                        "<urlset" + XMLNS + ">",
                        "<urlset>",
                        "</urlset>",
                        "<sitemapindex>",
                        "<url>",
                        "</url>",
                        "<loc>",
                        "</loc>",
                        "http://www.example.com/",
                        "<lastmod>2020-01-01</lastmod>",
                        "<rss><channel><item>",
                        "<link>",
                        "</link></item>",
                        "<feed>",
                        "<entry>",
                        "<link href='http://a.test/'/>",
                        "<!--",
                        "-->",
                        "<![CDATA[",
                        "]]>",
                        "<!DOCTYPE a [",
                        "<?xml version='1.0'?>",
                        "&amp;",
                        "&a;",
                        "<a:b>",
                        "<",
                        ">",
                        "\u0000",
                        "\ud83d",
                        "\n")
                .list()
                .ofMaxSize(20)
                .map(parts -> String.join("", parts));
    }

    /** A megabyte of repeated text. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "<",
                "<a>",
                "<a/>",
                "<a b='' c=''/>",
                "<url/>",
                "<url><loc>a</loc></url>",
                "<url><loc>http://www.example.com/a</loc></url>",
                "<url><lastmod>2020-01-01T00:00:00.000000000+00:00</lastmod></url>",
                "<url><priority>0.0000000000</priority></url>",
                "<!---->",
                "<!--",
                "<![CDATA[]]>",
                "<?a?>",
                "&amp;",
                "&#65;",
                "x",
                " ",
                "\n",
                ">",
                "-",
                "]]",
                "\u0000"
            })
    void parsesAMegabyteInLinearTime(String piece) {
        String start = "<urlset" + XMLNS + ">";
        String text = start + piece.repeat((1 << 20) / piece.length());
        String inEntry = start + "<url><loc>" + text.substring(start.length());
        String plain = "http://a.test/" + text.substring(start.length());

        assertTimeoutPreemptively(Duration.ofSeconds(20), () -> {
            parse(text.getBytes(StandardCharsets.UTF_8), false, 50_000);
            parse(inEntry.getBytes(StandardCharsets.UTF_8), false, 50_000);
            parse(plain.getBytes(StandardCharsets.UTF_8), false, 50_000);
        });
    }

    /** Many attributes and namespaces on nested elements. */
    @Test
    void parsesNamespacesInLinearTime() {
        StringBuilder attributes = new StringBuilder();
        for (int i = 0; i < 45; i++) {
            attributes.append(" xmlns:n").append(i).append("='u'");
        }
        for (int i = 0; i < 45; i++) {
            attributes.append(" n").append(i).append(":a=''");
        }
        String deep = "<a" + attributes + ">";
        String text = "<urlset" + XMLNS + ">" + deep.repeat(60) + ("<b" + attributes + "/>").repeat(1_000);

        SitemapFile file = assertTimeoutPreemptively(Duration.ofSeconds(20), () -> parse(text));

        assertThat(file.end()).isEqualTo(End.MALFORMED);
        assertThat(file.fault()).contains("must start and end");
    }

    private static SitemapFile parse(String text) {
        return parse(text.getBytes(StandardCharsets.UTF_8), false, 10_000);
    }

    private static SitemapFile parse(byte[] bytes, boolean truncated, int maxEntries) {
        return parse(bytes, truncated, null, maxEntries);
    }

    private static SitemapFile parse(byte[] bytes, boolean truncated, @Nullable String directory, int maxEntries) {
        HttpBody body = TestBodies.of(bytes, truncated);
        SitemapEntries.Scope scope = new SitemapEntries.Scope(
                url("http://www.example.com/catalog/sitemap.xml"), Set.of("http://www.example.com"), directory, NOW);
        return SitemapParser.parse(body, MAX_BYTES, new SitemapEntries(scope, maxEntries));
    }

    private static String urlset(String... urls) {
        StringBuilder text = new StringBuilder("<urlset" + XMLNS + ">");
        for (String url : urls) {
            text.append("<url><loc>").append(url).append("</loc></url>");
        }
        return text + "</urlset>";
    }

    private static byte[] gzip(byte[] bytes) throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
            out.write(bytes);
        }
        return packed.toByteArray();
    }
}
