package dev.plumbline.http.web.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.http.web.layout.DisplayText;
import dev.plumbline.sheet.FieldDescription;
import dev.plumbline.sheet.FieldType;
import dev.plumbline.support.Descriptions;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ValueChangeTest {
    private static final FieldDescription ROWS = Descriptions.table(
            "rows",
            "Rows",
            "Rows.",
            Descriptions.string("module", "Module", "A module."),
            Descriptions.integer("size_bytes", "Size", "In bytes."));

    private static List<String> changes(FieldDescription field, @Nullable Object before, @Nullable Object after) {
        return ValueChange.of(field, before, after, false).stream()
                .map(change -> change.title() + ": " + line(change.before()) + " -> " + line(change.after()))
                .toList();
    }

    private static String line(@Nullable DisplayText text) {
        return text == null ? "none" : text.line();
    }

    private static Object value(String json) {
        return json.startsWith("[") ? new JsonArray(json).getList() : new JsonObject(json).getMap();
    }

    @Test
    void scalarsAreFormattedByTheirDeclaration() {
        assertThat(changes(Descriptions.integer("size_bytes", "Size", "In bytes."), 999, 100_000))
                .containsExactly("Size: 999 bytes -> 100.0 kB");
        assertThat(changes(Descriptions.bool("ok", "OK", "Whether."), true, null))
                .containsExactly("OK: Yes -> none");
        assertThat(changes(Descriptions.time("not_after", "Ends", "When."), "2026-01-01T00:00:00Z", "no time"))
                .containsExactly("Ends: 1 Jan 2026, 00:00 UTC -> no time");
        assertThat(changes(Descriptions.string("text", "Text", "Any."), "a".repeat(300), "\u202e"))
                .containsExactly("Text: " + "a".repeat(199) + "\u2026 -> [U+202E]");
    }

    @Test
    void onlyTheItemsThatDifferAreListed() {
        FieldDescription names = Descriptions.array("names", "Names", "All.", FieldType.STRING);

        assertThat(changes(names, List.of("a", "b", "b"), List.of("b", "c"))).containsExactly("Names: a, b -> c");
        assertThat(changes(names, List.of("a"), List.of("a", "b"))).containsExactly("Names: none -> b");
        assertThat(changes(names, List.of("a", "b"), List.of("b", "a"))).containsExactly("Names, order: a, b -> b, a");
        List<String> many = IntStream.range(0, 8).mapToObj(Integer::toString).toList();
        assertThat(changes(names, List.of(), many)).containsExactly("Names: none -> 0, 1, 2, 3, 4 and 3 more");
    }

    @Test
    void objectsOfAListAreMatchedByTheirFirstMember() {
        assertThat(changes(
                        ROWS,
                        value("[{\"module\":\"a\",\"size_bytes\":1},{\"module\":\"b\",\"size_bytes\":2}]"),
                        value("[{\"module\":\"b\",\"size_bytes\":3},{\"module\":\"c\",\"size_bytes\":4}]")))
                .containsExactly(
                        "Rows › a: Module: a, Size: 1 byte -> none",
                        "Rows › b › Size: 2 bytes -> 3 bytes",
                        "Rows › c: none -> Module: c, Size: 4 bytes");
        assertThat(changes(
                        ROWS,
                        value("[{\"module\":\"a\",\"size_bytes\":1},{\"module\":\"a\",\"size_bytes\":2}]"),
                        value("[{\"module\":\"a\",\"size_bytes\":1}]")))
                .as("the first member does not identify the rows")
                .containsExactly("Rows: Module: a, Size: 2 bytes -> none");
    }

    @Test
    void membersOfObjectsAreComparedOneByOne() {
        FieldDescription free = Descriptions.object("rest", "Rest", "Anything.");

        assertThat(changes(
                        free, value("{\"a\":1,\"b\":{\"c\":[1]}}"), value("{\"a\":1.0,\"b\":{\"c\":[2]},\"d\":\"x\"}")))
                .containsExactly("Rest › b › c: 1 -> 2", "Rest › d: none -> x");
        assertThat(changes(free, Map.of("a", 1), Map.of("a", 1))).isEmpty();
    }
}
