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

    private ReferenceSearch() {}

    /**
     * @param kind for example {@code Operation}
     * @param owner the operation of a parameter; otherwise empty
     * @param description Markdown; can be empty
     * @param path of the page and the anchor, below the base path
     * @param text the text that is searched, in lower case
     */
    public record Entry(String kind, String name, String owner, String description, String path, String text) {
        static Entry of(String kind, String name, String owner, String description, String path, String more) {
            return new Entry(
                    kind,
                    name,
                    owner,
                    description,
                    path,
                    String.join(" ", name, owner, description, more).toLowerCase(Locale.ROOT));
        }
    }

    /**
     * The entries that contain every word of a query.
     *
     * @param count of all matches
     * @param entries at most 100; those whose name is the query first
     */
    public record Matches(String query, int count, List<Entry> entries) {}

    /** @param contract the published openapi.json, which also has the options and schemas of the modules */
    static ReferenceSearch of(JsonObject contract, ApiReference reference) {
        ReferenceSearch search = new ReferenceSearch();
        for (ApiReference.Tag tag : reference.tags()) {
            for (ApiReference.Operation operation : tag.operations()) {
                search.addOperation(operation, tag.path() + "#" + operation.id());
            }
            for (ApiReference.ModuleOperation operation : tag.modules()) {
                search.addModule(contract, operation);
            }
            for (ApiReference.NamedSchema schema : tag.schemas()) {
                String path = tag.schemasPath() + "#" + schema.id();
                search.add("Schema", schema.name(), schema.schema().description(), path, "");
                search.addProperties(schema.name(), schema.schema().properties(), path);
            }
        }
        for (ApiReference.ProblemType problem : reference.problems()) {
            search.add(
                    "Problem",
                    problem.code(),
                    problem.cause(),
                    "/docs#" + problem.code(),
                    problem.status() + " " + problem.title());
        }
        search.entries.sort(Comparator.comparing(entry -> KINDS.indexOf(entry.kind())));
        return search;
    }

    private void add(String kind, String name, String description, String path, String more) {
        entries.add(Entry.of(kind, name, "", description, path, more));
    }

    private void addParameter(String operation, String name, String description, String path) {
        entries.add(Entry.of("Parameter", name, operation, description, path, ""));
    }

    private void addOperation(ApiReference.Operation operation, String path) {
        String request = operation.method() + " " + operation.path();
        add("Operation", operation.id(), operation.summary(), path, request + " " + operation.description());
        for (ApiReference.Parameter parameter : operation.parameters()) {
            addParameter(
                    operation.id(),
                    parameter.schema().name(),
                    parameter.schema().description(),
                    path);
        }
        if (operation.body() != null) {
            addProperties(operation.id(), operation.body().schema().properties(), path);
        }
    }

    private void addProperties(String owner, List<SchemaNode> properties, String path) {
        for (SchemaNode property : properties) {
            String name = owner + "." + property.name();
            add("Property", name, property.description(), path, "");
            addProperties(name, property.properties(), path);
        }
    }

    private void addModule(JsonObject contract, ApiReference.ModuleOperation operation) {
        String page = "/tools/" + operation.module();
        JsonObject declared =
                contract.getJsonObject("paths").getJsonObject(operation.path()).getJsonObject("get");
        String summary = declared.getString("summary");
        add("Operation", operation.id(), summary, page, "GET " + operation.path());
        for (Object each : declared.getJsonArray("parameters")) {
            JsonObject parameter = (JsonObject) each;
            if ("query".equals(parameter.getString("in"))) {
                addParameter(operation.id(), parameter.getString("name"), parameter.getString("description"), page);
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
                add("Schema", entry.getKey(), description, page, members);
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
