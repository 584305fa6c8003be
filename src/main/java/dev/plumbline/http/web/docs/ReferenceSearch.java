package dev.plumbline.http.web.docs;

import dev.plumbline.http.api.tool.ModuleOperations;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Searches the names and descriptions of operations, parameters, schemas, properties and problem types. */
public final class ReferenceSearch {
    private static final int MAX_RESULTS = 100;

    /** The order of the results. */
    private static final List<String> KINDS = List.of("Operation", "Schema", "Parameter", "Property", "Problem");

    private final List<Entry> entries = new ArrayList<>();

    /**
     * @param kind for example {@code Operation}
     * @param owner the operation of a parameter; otherwise empty
     * @param description Markdown; can be empty
     * @param path of the page and the anchor, below the base path
     * @param text the text that is searched, in lower case
     */
    public record Entry(String kind, String name, String owner, String description, String path, String text) {}

    /**
     * The entries that contain every word of a query.
     *
     * @param count of all matches
     * @param entries at most 100; those whose name is the query first
     */
    public record Matches(String query, int count, List<Entry> entries) {}

    /** @param contract the published openapi.json, which also has the options and schemas of the modules */
    ReferenceSearch(JsonObject contract, ApiReference reference) {
        for (ApiReference.Tag tag : reference.tags()) {
            for (ApiReference.Operation operation : tag.operations()) {
                addOperation(operation, tag.path() + "#" + operation.id());
            }
            for (ApiReference.ModuleOperation operation : tag.modules()) {
                addModule(contract, operation);
            }
            for (ApiReference.NamedSchema schema : tag.schemas()) {
                String path = tag.schemasPath() + "#" + schema.id();
                add("Schema", schema.name(), "", schema.schema().description(), path, "");
                addProperties(schema.name(), schema.schema().properties(), path);
            }
        }
        for (ApiReference.ProblemType problem : reference.problems()) {
            String title = problem.status() + " " + problem.title();
            add("Problem", problem.code(), "", problem.cause(), "/docs#" + problem.code(), title);
        }
        entries.sort(Comparator.comparing(entry -> KINDS.indexOf(entry.kind())));
    }

    private void add(String kind, String name, String owner, String description, String path, String more) {
        String text = String.join(" ", name, owner, description, more).toLowerCase(Locale.ROOT);
        entries.add(new Entry(kind, name, owner, description, path, text));
    }

    private void addOperation(ApiReference.Operation operation, String path) {
        String request = operation.method() + " " + operation.path();
        add("Operation", operation.id(), "", operation.summary(), path, request + " " + operation.description());
        for (ApiReference.Parameter parameter : operation.parameters()) {
            SchemaNode schema = parameter.schema();
            add("Parameter", schema.name(), operation.id(), schema.description(), path, "");
        }
        if (operation.body() != null) {
            addProperties(operation.id(), operation.body().schema().properties(), path);
        }
    }

    private void addProperties(String owner, List<SchemaNode> properties, String path) {
        for (SchemaNode property : properties) {
            String name = owner + "." + property.name();
            add("Property", name, "", property.description(), path, "");
            addProperties(name, property.properties(), path);
        }
    }

    private void addModule(JsonObject contract, ApiReference.ModuleOperation operation) {
        String page = "/tools/" + operation.module();
        JsonObject declared =
                contract.getJsonObject("paths").getJsonObject(operation.path()).getJsonObject("get");
        String summary = declared.getString("summary");
        add("Operation", operation.id(), "", summary, page, "GET " + operation.path());
        for (Object each : declared.getJsonArray("parameters")) {
            JsonObject parameter = (JsonObject) each;
            if ("query".equals(parameter.getString("in"))) {
                String name = parameter.getString("name");
                add("Parameter", name, operation.id(), parameter.getString("description"), page, "");
            }
        }
        for (Map.Entry<String, Object> entry :
                contract.getJsonObject("components").getJsonObject("schemas")) {
            JsonObject schema = (JsonObject) entry.getValue();
            if (operation.module().equals(schema.getString(ModuleOperations.EXTENSION))) {
                String description = schema.getString("description", "");
                String members = String.join(
                        " ",
                        schema.getJsonObject("properties", new JsonObject()).fieldNames());
                add("Schema", entry.getKey(), "", description, page, members);
            }
        }
    }

    Matches matching(String query) {
        String words = query.strip().toLowerCase(Locale.ROOT);
        if (words.isEmpty()) {
            return new Matches(query, 0, List.of());
        }
        List<String> all = Arrays.asList(words.split("\\s+", -1));
        List<Entry> found = entries.stream()
                .filter(entry -> all.stream().allMatch(entry.text()::contains))
                .sorted(Comparator.comparing(
                        entry -> !entry.name().toLowerCase(Locale.ROOT).equals(words)))
                .toList();
        return new Matches(
                query, found.size(), found.stream().limit(MAX_RESULTS).toList());
    }
}
