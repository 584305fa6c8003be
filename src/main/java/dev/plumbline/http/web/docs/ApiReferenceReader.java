package dev.plumbline.http.web.docs;

import dev.plumbline.http.web.docs.ApiReference.Answer;
import dev.plumbline.http.web.docs.ApiReference.Body;
import dev.plumbline.http.web.docs.ApiReference.Call;
import dev.plumbline.http.web.docs.ApiReference.Group;
import dev.plumbline.http.web.docs.ApiReference.Named;
import dev.plumbline.http.web.docs.ApiReference.Parameter;
import dev.plumbline.http.web.docs.ApiReference.ProblemType;
import dev.plumbline.http.web.layout.MarkdownText;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads openapi.json (OpenAPI 3.1) for the page that explains it. */
final class ApiReferenceReader {
    private static final Map<String, String> ACCESS = Map.of(
            "bearerKey", "With an API key (Authorization: Bearer KEY, or X-Api-Key: KEY).",
            "session", "Signed in: with the session's cookie.");

    private final JsonObject contract;
    private final CodeExamples examples;

    private ApiReferenceReader(JsonObject contract, String server) {
        this.contract = contract;
        this.examples = new CodeExamples(server);
    }

    /**
     * @param contract as it is published
     * @param server under which people reach the service
     */
    static ApiReference read(JsonObject contract, String server) {
        ApiReferenceReader reader = new ApiReferenceReader(contract, server);
        List<Named> schemas = new ArrayList<>();
        contract.getJsonObject("components")
                .getJsonObject("schemas")
                .forEach(schema ->
                        schemas.add(new Named(schema.getKey(), SchemaReader.of((JsonObject) schema.getValue()))));
        List<ProblemType> problems = new ArrayList<>();
        for (JsonObject type : objects(contract.getJsonArray("x-problem-types"))) {
            problems.add(new ProblemType(
                    type.getString("code"),
                    type.getInteger("status"),
                    type.getString("title"),
                    MarkdownText.of(type.getString("why")),
                    MarkdownText.of(type.getString("action"))));
        }
        return new ApiReference(
                server,
                MarkdownText.of(contract.getJsonObject("info").getString("description")),
                reader.groups(),
                schemas,
                problems);
    }

    private List<Group> groups() {
        Map<String, List<Call>> byTag = new LinkedHashMap<>();
        List<JsonObject> tags = objects(contract.getJsonArray("tags"));
        tags.forEach(tag -> byTag.put(tag.getString("name"), new ArrayList<>()));
        for (Map.Entry<String, Object> path : contract.getJsonObject("paths")) {
            for (Map.Entry<String, Object> method : (JsonObject) path.getValue()) {
                JsonObject operation = (JsonObject) method.getValue();
                String tag = operation.getJsonArray("tags").getString(0);
                byTag.computeIfAbsent(tag, none -> new ArrayList<>())
                        .add(call(method.getKey().toUpperCase(Locale.ROOT), path.getKey(), operation));
            }
        }
        return tags.stream()
                .map(tag -> {
                    String name = tag.getString("name");
                    return new Group(
                            "tag-" + name,
                            name.substring(0, 1).toUpperCase(Locale.ROOT) + name.substring(1),
                            MarkdownText.of(tag.getString("description")),
                            byTag.getOrDefault(name, List.of()));
                })
                .toList();
    }

    private Call call(String method, String path, JsonObject operation) {
        List<JsonObject> given = objects(operation.getJsonArray("parameters")).stream()
                .map(this::resolve)
                .toList();
        JsonObject wanted = operation.getJsonObject("requestBody");
        String access = access(operation);
        Body body = wanted == null ? null : bodies(resolve(wanted)).get(0);
        List<Answer> answers = new ArrayList<>();
        List<Answer> refusals = new ArrayList<>();
        for (Map.Entry<String, Object> response : operation.getJsonObject("responses")) {
            boolean refused = response.getKey().compareTo("400") >= 0;
            (refused ? refusals : answers).add(answer(response.getKey(), resolve((JsonObject) response.getValue())));
        }
        return new Call(
                operation.getString("operationId"),
                method,
                path,
                operation.getString("summary"),
                MarkdownText.of(operation.getString("description")),
                ACCESS.getOrDefault(access, ""),
                given.stream().map(ApiReferenceReader::parameter).toList(),
                body,
                answers,
                refusals,
                examples.of(method, path, given, access, example(wanted)));
    }

    private static String access(JsonObject operation) {
        List<JsonObject> ways = objects(operation.getJsonArray("security"));
        return ways.isEmpty() ? "" : ways.get(0).fieldNames().iterator().next();
    }

    private static Parameter parameter(JsonObject parameter) {
        SchemaNode shape = SchemaReader.of(parameter.getJsonObject("schema"));
        Object example = parameter.getValue("example");
        return new Parameter(
                parameter.getString("in"),
                new SchemaNode(
                        parameter.getString("name"),
                        shape.type(),
                        shape.reference(),
                        parameter.getBoolean("required", false),
                        MarkdownText.of(parameter.getString("description")),
                        shape.limits(),
                        List.of()),
                example == null ? null : example.toString());
    }

    private Answer answer(String status, JsonObject response) {
        List<String> headers = new ArrayList<>(
                response.getJsonObject("headers", new JsonObject()).fieldNames());
        return new Answer(status, MarkdownText.of(response.getString("description")), headers, bodies(response));
    }

    private static List<Body> bodies(JsonObject holder) {
        List<Body> bodies = new ArrayList<>();
        for (Map.Entry<String, Object> content : holder.getJsonObject("content", new JsonObject())) {
            JsonObject media = (JsonObject) content.getValue();
            bodies.add(new Body(
                    content.getKey(),
                    MarkdownText.of(holder.getString("description")),
                    SchemaReader.of(media.getJsonObject("schema")),
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
        if (ref == null) {
            return node;
        }
        JsonObject found = contract;
        for (String step : ref.substring(2).split("/", -1)) {
            found = found.getJsonObject(step);
        }
        return found;
    }

    private static List<JsonObject> objects(@Nullable JsonArray array) {
        return array == null
                ? List.of()
                : array.stream().map(JsonObject.class::cast).toList();
    }
}
