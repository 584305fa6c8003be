package dev.plumbline.check;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The columns of CSV files with the verdict of each part of a composite. They are read from the field {@value #FIELD}:
 * a list of objects with {@code module} and {@code verdict}, or an object with these objects by module.
 *
 * @param parts empty for a module that is not a composite
 */
public record PartColumns(List<CompositePart> parts) {
    public static final String FIELD = "parts";

    public List<String> names() {
        return parts.stream().map(CompositePart::column).toList();
    }

    /** The cells of one result; null for a part that it does not contain. */
    public List<@Nullable String> cells(JsonNode field) {
        Map<String, String> verdicts = new HashMap<>();
        if (field.isArray()) {
            field.forEach(part -> put(verdicts, part.path("module").asText(), part));
        } else {
            field.fields().forEachRemaining(part -> put(verdicts, part.getKey(), part.getValue()));
        }
        List<@Nullable String> cells = new ArrayList<>();
        parts.forEach(part -> cells.add(verdicts.get(part.module().module())));
        return cells;
    }

    private static void put(Map<String, String> verdicts, String module, JsonNode part) {
        if (part.path("verdict").isTextual()) {
            verdicts.put(module, part.path("verdict").textValue());
        }
    }
}
