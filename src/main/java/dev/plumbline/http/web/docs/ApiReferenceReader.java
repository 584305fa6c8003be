package dev.plumbline.http.web.docs;

import dev.plumbline.http.api.tool.ModuleOperations;
import dev.plumbline.http.web.docs.ApiReference.Body;
import dev.plumbline.http.web.docs.ApiReference.ModuleOperation;
import dev.plumbline.http.web.docs.ApiReference.NamedSchema;
import dev.plumbline.http.web.docs.ApiReference.Operation;
import dev.plumbline.http.web.docs.ApiReference.Parameter;
import dev.plumbline.http.web.docs.ApiReference.ProblemType;
import dev.plumbline.http.web.docs.ApiReference.Response;
import dev.plumbline.http.web.docs.ApiReference.Section;
import dev.plumbline.http.web.docs.ApiReference.Tag;
import dev.plumbline.http.web.layout.DisplayedLimits;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.core.json.pointer.JsonPointer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Reads the API reference from openapi.json (OpenAPI 3.1). */
final class ApiReferenceReader {
    private static final String ITEM = "- ";
    private static final Map<String, String> ACCESS = Map.of(
            "bearerKey", "Requires an API key (`Authorization: Bearer KEY` or `X-Api-Key: KEY`).",
            "session", "Requires a session cookie.");

    private final JsonObject contract;
    private final CodeExamples examples;
    private final SchemaReader reader;

    /** The tag of each schema that is described on its page. */
    private final Map<String, String> schemas;

    private ApiReferenceReader(JsonObject contract, String server, String basePath) {
        this.contract = contract;
        this.examples = new CodeExamples(server);
        this.schemas = SchemaTags.of(contract);
        Map<String, String> hrefs = new HashMap<>();
        schemas.forEach((name, tag) ->
                hrefs.put(name, basePath + ApiReference.schemasPath(tag) + "#" + ApiReference.anchor(name)));
        this.reader = new SchemaReader(hrefs);
    }

    /**
     * @param contract the published openapi.json
     * @param server the base URL
     * @param basePath the path of the base URL
     * @param limits the quotas of this service
     */
    static ApiReference read(JsonObject contract, String server, String basePath, DisplayedLimits limits) {
        ApiReferenceReader reader = new ApiReferenceReader(contract, server, basePath);
        List<ProblemType> problems = objects(contract.getJsonArray("x-problem-types")).stream()
                .map(type -> new ProblemType(
                        type.getString("code"),
                        type.getInteger("status"),
                        type.getString("title"),
                        type.getString("cause"),
                        type.getString("action")))
                .toList();
        String[] description =
                contract.getJsonObject("info").getString("description", "").split("\n\n## ", -1);
        return new ApiReference(
                server,
                description[0],
                Arrays.stream(description)
                        .skip(1)
                        .map(ApiReferenceReader::section)
                        .toList(),
                reader.tags(),
                problems,
                limits);
    }

    /** @param text the title, an empty line and a list, in Markdown */
    private static Section section(String text) {
        String title = text.lines().findFirst().orElse("");
        return new Section(
                title.toLowerCase(Locale.ROOT).replace(' ', '-'),
                title,
                text.lines()
                        .filter(line -> line.startsWith(ITEM))
                        .map(line -> line.substring(ITEM.length()))
                        .toList());
    }

    private List<NamedSchema> schemas(String tag) {
        JsonObject all = contract.getJsonObject("components").getJsonObject("schemas");
        return all.fieldNames().stream()
                .filter(name -> tag.equals(schemas.get(name)))
                .map(name -> new NamedSchema(name, reader.read(all.getJsonObject(name))))
                .toList();
    }

    private List<Tag> tags() {
        Map<String, List<Operation>> byTag = new LinkedHashMap<>();
        Map<String, List<ModuleOperation>> modules = new LinkedHashMap<>();
        List<JsonObject> tags = objects(contract.getJsonArray("tags"));
        tags.forEach(tag -> byTag.put(tag.getString("name"), new ArrayList<>()));
        for (Map.Entry<String, Object> path : contract.getJsonObject("paths")) {
            for (Map.Entry<String, Object> method : (JsonObject) path.getValue()) {
                JsonObject operation = (JsonObject) method.getValue();
                String tag = operation.getJsonArray("tags").getString(0);
                String module = operation.getString(ModuleOperations.EXTENSION);
                if (module != null) {
                    modules.computeIfAbsent(tag, none -> new ArrayList<>())
                            .add(new ModuleOperation(operation.getString("operationId"), path.getKey(), module));
                    continue;
                }
                byTag.computeIfAbsent(tag, none -> new ArrayList<>())
                        .add(operation(method.getKey().toUpperCase(Locale.ROOT), path.getKey(), operation));
            }
        }
        return tags.stream()
                .map(tag -> {
                    String name = tag.getString("name");
                    return new Tag(
                            name,
                            name.substring(0, 1).toUpperCase(Locale.ROOT) + name.substring(1),
                            tag.getString("description", ""),
                            byTag.getOrDefault(name, List.of()),
                            modules.getOrDefault(name, List.of()),
                            schemas(name));
                })
                .toList();
    }

    private Operation operation(String method, String path, JsonObject operation) {
        List<JsonObject> parameters = objects(operation.getJsonArray("parameters")).stream()
                .map(this::resolve)
                .toList();
        JsonObject request = operation.getJsonObject("requestBody");
        String access = access(operation);
        Body body = request == null ? null : bodies(resolve(request)).get(0);
        List<Response> responses = new ArrayList<>();
        List<Response> errors = new ArrayList<>();
        for (Map.Entry<String, Object> response : operation.getJsonObject("responses")) {
            boolean error = response.getKey().compareTo("400") >= 0;
            (error ? errors : responses).add(response(response.getKey(), resolve((JsonObject) response.getValue())));
        }
        return new Operation(
                operation.getString("operationId"),
                method,
                path,
                operation.getString("summary"),
                operation.getString("description", ""),
                ACCESS.getOrDefault(access, ""),
                parameters.stream().map(this::parameter).toList(),
                body,
                responses,
                errors,
                examples.of(method, path, parameters, access, example(request)));
    }

    /** Returns the first security scheme; empty if credentials are optional or not used. */
    private static String access(JsonObject operation) {
        List<JsonObject> requirements = objects(operation.getJsonArray("security"));
        return requirements.isEmpty() || requirements.get(0).isEmpty()
                ? ""
                : requirements.get(0).fieldNames().iterator().next();
    }

    private Parameter parameter(JsonObject parameter) {
        SchemaNode schema = reader.read(parameter.getJsonObject("schema"));
        Object example = parameter.getValue("example");
        return new Parameter(
                parameter.getString("in"),
                new SchemaNode(
                        parameter.getString("name"),
                        schema.type(),
                        schema.reference(),
                        parameter.getBoolean("required", false),
                        parameter.getString("description", ""),
                        schema.constraints(),
                        List.of()),
                example instanceof JsonArray values
                        ? values.stream().map(Object::toString).collect(Collectors.joining(","))
                        : example == null ? null : example.toString());
    }

    private Response response(String status, JsonObject response) {
        List<String> headers = new ArrayList<>(
                response.getJsonObject("headers", new JsonObject()).fieldNames());
        // client generators do not support these headers
        headers.addAll(
                response.getJsonObject("x-other-headers", new JsonObject()).fieldNames());
        return new Response(status, response.getString("description", ""), headers, bodies(response));
    }

    private List<Body> bodies(JsonObject holder) {
        List<Body> bodies = new ArrayList<>();
        for (Map.Entry<String, Object> content : holder.getJsonObject("content", new JsonObject())) {
            JsonObject media = (JsonObject) content.getValue();
            bodies.add(new Body(
                    content.getKey(),
                    holder.getString("description", ""),
                    reader.read(media.getJsonObject("schema")),
                    text(media.getValue("example"))));
        }
        return bodies;
    }

    private static @Nullable String text(@Nullable Object example) {
        return example instanceof JsonObject json ? json.encodePrettily() : example == null ? null : example.toString();
    }

    private @Nullable JsonObject example(@Nullable JsonObject body) {
        return body == null
                ? null
                : resolve(body)
                        .getJsonObject("content")
                        .getJsonObject("application/json")
                        .getJsonObject("example", new JsonObject());
    }

    private JsonObject resolve(JsonObject node) {
        String ref = node.getString("$ref");
        return ref == null
                ? node
                : (JsonObject) JsonPointer.from(ref.substring(1)).queryJson(contract);
    }

    private static List<JsonObject> objects(@Nullable JsonArray array) {
        return array == null
                ? List.of()
                : array.stream().map(JsonObject.class::cast).toList();
    }
}
