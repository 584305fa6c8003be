package dev.plumbline.http.api.job;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The rules of openapi.json for the body of a request to create a job.
 *
 * @param members all members, in the order of the document
 * @param required the members that must be present
 * @param minItems the minimum number of lines
 * @param maxItems the maximum number of lines
 * @param maxItemBytes the maximum length of a line in UTF-8
 * @param minNameCharacters the minimum number of code points of a name
 * @param maxNameCharacters the maximum number of code points of a name
 * @param namePattern the pattern that is found in each name
 */
public record JobRequestSchema(
        List<String> members,
        List<String> required,
        int minItems,
        int maxItems,
        int maxItemBytes,
        int minNameCharacters,
        int maxNameCharacters,
        Pattern namePattern) {
    /** The types that {@link JobRequestReader} reads. */
    private static final Map<String, String> TYPES = new TreeMap<>(Map.of(
            "module", "string",
            "items", "array",
            "options", "object",
            "name", "string",
            "policy", "string or null",
            "expect", "array or null"));

    /**
     * Reads the rules.
     *
     * @throws IllegalArgumentException if a member has another name or type than the reader supports
     */
    static JobRequestSchema of(JsonObject contract) {
        JsonObject schema =
                contract.getJsonObject("components").getJsonObject("schemas").getJsonObject("JobRequest");
        JsonObject properties = schema.getJsonObject("properties");
        for (String member : properties.fieldNames()) {
            String type = typeText(properties.getJsonObject(member).getValue("type"));
            if (!type.equals(TYPES.get(member))) {
                throw new IllegalArgumentException("JobRequest in openapi.json has the unsupported member " + member
                        + " (" + type + "). Supported members: " + TYPES + ".");
            }
        }
        JsonObject items = properties.getJsonObject("items");
        JsonObject name = properties.getJsonObject("name");
        return new JobRequestSchema(
                List.copyOf(properties.fieldNames()),
                schema.getJsonArray("required", new JsonArray()).stream()
                        .map(String.class::cast)
                        .toList(),
                items.getInteger("minItems"),
                items.getInteger("maxItems"),
                items.getJsonObject("items").getInteger("maxLength"),
                name.getInteger("minLength"),
                name.getInteger("maxLength"),
                Pattern.compile(name.getString("pattern")));
    }

    /** @param type a name or an array of names */
    private static String typeText(Object type) {
        return type instanceof JsonArray names
                ? names.stream().map(String::valueOf).collect(Collectors.joining(" or "))
                : String.valueOf(type);
    }

    /** The error of more than {@code maxItems} lines. */
    String tooMany(int lines) {
        return "has " + lines + " lines; the maximum is " + maxItems();
    }

    /** The error of a line with more than {@code maxItemBytes} bytes. */
    public String tooLong() {
        return "must have at most " + maxItemBytes() + " bytes in UTF-8";
    }

    /** The number of jobs for a list of lines. */
    public int jobs(int lines) {
        return (lines + maxItems() - 1) / maxItems();
    }
}
