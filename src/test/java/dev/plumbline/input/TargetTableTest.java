package dev.plumbline.input;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.input.TargetTable.Selection;
import dev.plumbline.sheet.ModuleDescription;
import java.util.List;
import java.util.Objects;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TargetTableTest {
    private static final ModuleCatalogue MODULES = ModuleCatalogue.load();
    private static final ModuleDescription HTTP_STATUS = module("http-status");
    private static final ModuleDescription CERTIFICATE = module("ssl-certificate");
    private static final int MAX = 500;

    private static ModuleDescription module(String name) {
        return MODULES.find(name).description();
    }

    private static TargetTable table(String text) {
        return TargetTable.of(text, HTTP_STATUS, false);
    }

    private static List<String> suggested(String text) {
        TargetTable table = table(text);
        return table.read(table.suggested(), MAX).texts();
    }

    private static List<String> column(String text, int column) {
        return table(text).read(new Selection(column, false), MAX).texts();
    }

    @Test
    void blankLinesAndCommentsAreIgnoredAndLineNumbersKept() {
        TargetLines lines = table("# list\na.test\r\n\r\n \u00a0\n  b.test\t\rc.test")
                .read(new Selection(Selection.LINE, false), MAX);

        assertThat(lines.texts()).startsWith("a.test").endsWith("b.test", "c.test");
        assertThat(lines.lines().get(0).number()).isEqualTo(2);
        assertThat(lines.lines().get(lines.lines().size() - 1).number()).isEqualTo(6);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "name,url,status\nOne,https://a.test/,200\nTwo,https://b.test/x,301\n",
                "name;url;status\r\n\"One; first\";https://a.test/;200\r\nTwo;\"https://b.test/x\";301\r\n",
                "name\turl\nOne\thttps://a.test/\nTwo\thttps://b.test/x\n",
                "\ufeffurl,note\nhttps://a.test/,\"two\nlines, quoted \"\"x\"\"\"\nhttps://b.test/x,none\n",
                "https://a.test/, a comment with spaces\nhttps://b.test/x, none\n",
                "\"https://a.test/\"\n\"https://b.test/x\"\n",
                "url\nhttps://a.test/\nhttps://b.test/x\n",
                "# exported\nid;price;site\n1;12,5;https://a.test/\n2;0,75;https://b.test/x\n",
                "https://a.test/\nhttps://b.test/x",
            })
    void theTargetsAreRecognized(String text) {
        assertThat(suggested(text)).containsExactly("https://a.test/", "https://b.test/x");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://a.test/1,2\nhttps://b.test/3,4",
                "https://a.test/?x=1;y=2\nhttps://b.test/;z",
                "a.test\nb.test",
                "no target\nhttps://a.test/x,y",
                "https://a.test/\nhttps://b.test/p,q\nhttps://c.test/\nhttps://d.test/\nhttps://e.test/",
            })
    void separatorsInUrlsAreNotCsv(String text) {
        assertThat(suggested(text)).isEqualTo(text.lines().toList());
    }

    @Test
    void theNameOfACsvFileSelectsCsv() {
        String text = "https://a.test/,200\nhttps://b.test/,301\n";
        TargetTable csv = TargetTable.of(text, HTTP_STATUS, true);

        assertThat(suggested(text)).isEqualTo(text.lines().toList());
        assertThat(table(text).columns()).hasSize(2);
        assertThat(csv.read(csv.suggested(), MAX).texts()).containsExactly("https://a.test/", "https://b.test/");
    }

    @Test
    void theColumnFitsTheTool() {
        String text = "contact,site\nme@a.test,a.test\nyou@b.test,b.test\n";

        assertThat(TargetTable.of(text, CERTIFICATE, false).suggested()).isEqualTo(new Selection(2, true));
        assertThat(TargetTable.of(text, module("email-address"), false).suggested())
                .isEqualTo(new Selection(1, true));
    }

    @Test
    void numbersDatesAndVersionsAreNotTargets() {
        assertThat(table("ratio,when,host\n12.5,02.01.2024,a.test\n0.75,10:30,b.test\n")
                        .suggested())
                .isEqualTo(new Selection(3, true));
        assertThat(suggested("192.0.2.1\n192.0.2.2:8080/x")).containsExactly("192.0.2.1", "192.0.2.2:8080/x");
    }

    @Test
    void columnsAreFoundByHeaderOrNumber() {
        TargetTable table = table("name;Site URL\nOne;https://a.test/\n");

        assertThat(table.columns())
                .containsExactly(new TargetTable.CsvColumn(1, "name"), new TargetTable.CsvColumn(2, "Site URL"));
        assertThat(table.find("site url")).isEqualTo(new Selection(2, true));
        assertThat(table.find("1")).isEqualTo(new Selection(1, true));
        assertThat(table.find("3")).isNull();
        assertThat(table.find("url")).isNull();
        assertThat(table("https://a.test/").find("url")).isNull();
    }

    @Test
    void quotedCellsKeepTheirContent() {
        assertThat(column("\"a,b\",\"say \"\"x\"\"\"\n\"c\",\"two\nlines\"\n", 2))
                .containsExactly("say \"x\"", "two lines");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "url,note\nhttps://a.test/,\"open\nhttps://b.test/,y\nhttps://c.test/,z\n",
                "url,note\nhttps://a.test/,x\nhttps://b.test/,\"open",
                "url,note\nhttps://a.test/,x\nhttps://b.test/,\"open \"\"quote\"\"\r\n",
            })
    void aQuotationMarkThatIsNotClosedIsAnError(String text) {
        TargetTable table = TargetTable.of(text, HTTP_STATUS, true);

        assertThatThrownBy(() -> table.read(Objects.requireNonNull(table.find("url")), MAX))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("a quotation mark is not closed");
        assertThatThrownBy(() -> table.read(new Selection(1, true), MAX)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void shortRowsAreCounted() {
        TargetLines lines =
                table("a,b\nc\nd,\ne,f\ng,h\ni,j\nk,l\nm,n\no,p\nq,r\n").read(new Selection(2, false), MAX);

        assertThat(lines.texts()).startsWith("b", "f").hasSize(8);
        assertThat(lines.empty()).isEqualTo(2);
    }

    @Test
    void validInvalidAndDuplicateLinesAreCounted() {
        TargetLines lines = table("a.test\nb.test\nA.test/\nnot a target\nhttps://b.test\nnot a target\n")
                .read(new Selection(Selection.LINE, false), MAX);

        TargetLines.Counts counts = lines.counts(HTTP_STATUS, 1);

        assertThat(counts.summary()).isEqualTo("2 valid, 2 invalid, 2 duplicates");
        assertThat(counts.firstInvalid()).hasSize(1);
        assertThat(counts.firstInvalid().get(0).line()).isEqualTo(new TargetLines.Line(4, "not a target"));
        assertThat(counts.firstInvalid().get(0).reason()).contains("space");
    }

    @Test
    void linesOverTheMaximumAreOnlyCounted() {
        TargetLines lines = table("a.test\n".repeat(1_000_000)).read(new Selection(Selection.LINE, false), MAX);

        assertThat(lines.lines()).hasSize(MAX);
        assertThat(lines.total()).isEqualTo(1_000_000);
    }

    @Tag("integration")
    @ParameterizedTest
    @ValueSource(strings = {",", ";", "\"", "\t", "a.b,", "\"x\n", "1.2.3.4;"})
    void hostileTextIsReadInBoundedTime(String part) {
        TargetTable table = TargetTable.of(part.repeat((8 << 20) / part.length()), HTTP_STATUS, true);

        assertThat(table.columns()).hasSizeLessThanOrEqualTo(100);
        assertThat(table.read(table.suggested(), MAX).lines()).hasSizeLessThanOrEqualTo(MAX);
    }

    @Property(tries = 300)
    void anyTextIsRead(@ForAll String text) {
        TargetTable table = TargetTable.of(text, HTTP_STATUS, true);

        assertThat(readOrReject(table, table.suggested())).noneMatch(String::isEmpty);
        for (TargetTable.CsvColumn column : table.columns()) {
            assertThat(readOrReject(table, new Selection(column.number(), true)))
                    .noneMatch(line -> line.contains("\n"));
        }
    }

    private static List<String> readOrReject(TargetTable table, Selection selection) {
        try {
            return table.read(selection, MAX).texts();
        } catch (IllegalArgumentException open) {
            assertThat(open).hasMessageContaining("a quotation mark is not closed");
            return List.of();
        }
    }
}
