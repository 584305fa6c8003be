package dev.plumbline.support;

import static org.assertj.core.api.Assertions.assertThat;

import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.jsoup.nodes.TextNode;

/** Asserts that untrusted content is plain text on a page. */
public final class PlainTextAssert {
    /** The display form of {@link SampleModule#HOSTILE}. */
    public static final String HOSTILE_DISPLAYED =
            "</dd></title><script>alert(1)</script>\"'><img src=x onerror=alert(2)>[U+202E]gnp.exe"
                    + "[U+2066][U+0007][U+200B]${1+1}&amp;";

    /** Control, bidirectional and invisible characters. */
    private static final String CONTROL_CHARACTERS = "[\\p{Cc}\\p{Cf}&&[^\\n\\t]]";

    private PlainTextAssert() {}

    public static void assertPlainText(Document page) {
        assertThat(page.select("script"))
                .allSatisfy(script -> assertThat(script.data()).isEmpty());
        assertThat(page.select("img, iframe, object, embed, base, style")).isEmpty();
        assertThat(page.select("[href]").eachAttr("href"))
                .allSatisfy(href -> assertThat(href).matches("(https?://|/|#|\\?).*"));
        assertThat(page.select("form[action]").eachAttr("action"))
                .allSatisfy(action -> assertThat(action).startsWith("/"));
        for (Element element : page.getAllElements()) {
            element.attributes().forEach(attribute -> {
                assertThat(attribute.getKey()).doesNotStartWith("on").isNotEqualTo("style");
                assertThat(attribute.getValue()).doesNotContainPattern(CONTROL_CHARACTERS);
            });
            for (TextNode text : element.textNodes()) {
                assertThat(text.getWholeText()).doesNotContainPattern(CONTROL_CHARACTERS);
                if (text.getWholeText().contains("onerror")) {
                    assertThat(element.normalName()).as("direction isolates").isIn("bdi", "title");
                }
            }
        }
    }
}
