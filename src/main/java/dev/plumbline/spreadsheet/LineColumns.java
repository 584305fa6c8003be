package dev.plumbline.spreadsheet;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.plumbline.check.CompositePart;
import dev.plumbline.check.PartColumns;
import dev.plumbline.result.FindingColumns;
import dev.plumbline.result.Level;
import dev.plumbline.sheet.FieldDescription;
import dev.plumbline.sheet.FieldType;
import dev.plumbline.sheet.ModuleDescription;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The columns of a table with one row per line: base columns, the fields of the module, the verdict of each part of a
 * composite, the policy of evaluated results, the codes of the findings, separated by spaces, and the message and
 * action of the first finding of the worst level.
 */
public final class LineColumns {
    /** The base columns of the lines of a job. */
    public static final List<String> OF_JOB = List.of(
            "index",
            "input",
            "target",
            "state",
            "verdict",
            "error_code",
            "error_message",
            "duration_ms",
            "cached",
            "checked_at");

    /** The base columns of the results of the command line. */
    public static final List<String> OF_CHECK =
            List.of("index", "input", "target", "verdict", "error_code", "error_message", "duration_ms", "checked_at");

    /** The members of {@code policy} in a result that was evaluated with a policy or expectations. */
    private static final List<String> OF_POLICY = List.of("name", "version", "met_count", "rule_count");

    /** @param source where the value is in a line */
    private record Column(String name, JsonPointer source, boolean time) {}

    private final List<Column> columns = new ArrayList<>();
    private final PartColumns parts;
    private final List<Column> policy = new ArrayList<>();
    private final List<String> names;

    /**
     * @param base the names of members of a line, {@code error_code} or {@code error_message}
     * @param module null if the module no longer exists; its fields then have no columns
     * @param parts the parts of a composite module
     * @param fields the fields with columns, in this order; empty for all. The verdicts of parts belong to the field
     *     {@value PartColumns#FIELD}
     * @param evaluated whether the results are evaluated with a policy or expectations
     */
    public LineColumns(
            List<String> base,
            @Nullable ModuleDescription module,
            List<CompositePart> parts,
            List<String> fields,
            boolean evaluated) {
        for (String name : base) {
            String path = '/' + name.replaceFirst("^error_", "error/");
            columns.add(new Column(name, JsonPointer.compile(path), name.endsWith("_at")));
        }
        List<String> selected = !fields.isEmpty() || module == null
                ? fields
                : module.fields().stream().map(FieldDescription::name).toList();
        for (String name : selected) {
            boolean time = module != null
                    && module.fields().stream()
                            .anyMatch(field -> field.name().equals(name) && field.type() == FieldType.TIME);
            columns.add(new Column(name, JsonPointer.compile("/fields/" + name), time));
        }
        this.parts = new PartColumns(fields.isEmpty() || fields.contains(PartColumns.FIELD) ? parts : List.of());
        for (String name : evaluated ? OF_POLICY : List.<String>of()) {
            policy.add(new Column("policy_" + name, JsonPointer.compile("/policy/" + name), false));
        }
        List<String> all = new ArrayList<>(columns.stream().map(Column::name).toList());
        all.addAll(this.parts.names());
        policy.forEach(column -> all.add(column.name()));
        all.addAll(FindingColumns.NAMES);
        names = List.copyOf(all);
    }

    public List<String> names() {
        return names;
    }

    /** Whether the values of a column are times. */
    boolean isTime(int column) {
        return column < columns.size() && columns.get(column).time();
    }

    /**
     * Returns the values of the columns; null for a missing one. The columns of findings and parts are null without a
     * result.
     *
     * @param line a line, or a result
     */
    public List<@Nullable JsonNode> cells(JsonNode line) {
        @Nullable JsonNode[] cells = new JsonNode[names.size()];
        int at = 0;
        for (Column column : columns) {
            cells[at++] = value(line, column);
        }
        for (String verdict : parts.cells(line.path("fields").path(PartColumns.FIELD))) {
            cells[at++] = text(verdict);
        }
        for (Column column : policy) {
            cells[at++] = value(line, column);
        }
        if (line.path("findings").isArray()) {
            FindingColumns findings = new FindingColumns();
            for (JsonNode finding : line.path("findings")) {
                findings.add(
                        Level.of(finding.path("level").asText()),
                        finding.path("code").asText(),
                        finding.path("message").asText(),
                        finding.path("action").asText());
            }
            cells[at++] = text(findings.codes());
            cells[at] = text(findings.top());
        }
        return Arrays.asList(cells);
    }

    private static @Nullable JsonNode value(JsonNode line, Column column) {
        JsonNode value = line.at(column.source());
        return value.isMissingNode() || value.isNull() ? null : value;
    }

    private static @Nullable JsonNode text(@Nullable String text) {
        return text == null ? null : TextNode.valueOf(text);
    }
}
