package dev.plumbline.http.web.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.http.body.FormBody;
import java.nio.charset.StandardCharsets;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class JobInputLinesTest {

    @Test
    void blankLinesAreRemovedAndLineNumbersKept() {
        JobInputLines lines = JobInputLines.of("a.test\r\n\r\n \u00a0\n  b.test\t\rc.test");

        assertThat(lines.texts()).startsWith("a.test").endsWith("b.test", "c.test");
        assertThat(lines.lines().get(0).number()).isEqualTo(1);
        assertThat(lines.lines().get(lines.lines().size() - 1).number()).isEqualTo(5);
    }

    @Test
    void separatorIsTheMostFrequentOneInTheFirstLine() {
        assertThat(csv("a;b,c;d\n1;2;3\n", 2)).containsExactly("b,c", "2");
        assertThat(csv("a\tb\n1\t2\n", 2)).containsExactly("b", "2");
        assertThat(csv("a,b\r\n1,2\r\n", 2)).containsExactly("b", "2");
        assertThat(csv("one\ntwo\n", 1)).containsExactly("one", "two");
    }

    @Test
    void quotedCellsKeepTheirContent() {
        assertThat(csv("\"a,b\",\"say \"\"x\"\"\",\"two\nlines\"\n", 2)).containsExactly("say \"x\"");
        assertThat(csv("\"a\",\"two\nlines\"\n", 2)).containsExactly("two lines");
    }

    @Test
    void byteOrderMarkIsRemoved() {
        assertThat(csv("\ufeffa.test,b\n", 1)).containsExactly("a.test");
    }

    @Test
    void headerRowIsIgnored() {
        JobInputLines lines = JobInputLines.of(file("a.csv", "url\na.test\n"), 1, true);

        assertThat(lines.texts()).containsExactly("a.test");
    }

    @Test
    void shortRowsAreIgnored() {
        assertThat(csv("a,b\nc\nd,e\n", 2)).containsExactly("b", "e");
    }

    @Test
    void invalidFilesAreRejected() {
        assertThatThrownBy(() -> JobInputLines.of(file("x.xls", "PK\u0003\u0000"), 1, false))
                .hasMessageContaining("not UTF-8 text");
        assertThatThrownBy(() -> csv("a,b\n", 3)).hasMessageContaining("does not have a column 3");
        assertThatThrownBy(() -> csv("\"never closed", 2)).isInstanceOf(IllegalArgumentException.class);
    }

    @Property(tries = 300)
    void anyFileIsReadOrRejectedWithAMessage(@ForAll String content) {
        try {
            assertThat(csv(content, 1)).noneMatch(String::isBlank);
        } catch (IllegalArgumentException e) {
            assertThat(e.getMessage()).startsWith("The file");
        }
    }

    private static List<String> csv(String content, int column) {
        return JobInputLines.of(file("list.csv", content), column, false).texts();
    }

    private static FormBody.File file(String name, String content) {
        return new FormBody.File(name, content.getBytes(StandardCharsets.UTF_8));
    }
}
