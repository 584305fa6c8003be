package dev.plumbline.support;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.http.api.tool.ModuleOperations;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.json.schema.Draft;
import io.vertx.json.schema.JsonSchema;
import io.vertx.json.schema.JsonSchemaOptions;
import io.vertx.json.schema.OutputFormat;
import io.vertx.json.schema.OutputUnit;
import io.vertx.json.schema.Validator;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/** Validates responses against openapi.json: status, headers, media type and body. */
public final class ContractValidator {
    /** Headers of the HTTP server that openapi.json does not declare. */
    private static final Set<String> OF_THE_MESSAGE =
            Set.of("content-type", "content-length", "connection", "date", "transfer-encoding", ":status");

    private static final Map<Integer, String> OF_ANY_PATH = Map.of(
            400, "BadRequest",
            405, "MethodNotAllowed",
            408, "RequestTimeout",
            413, "ContentTooLarge",
            414, "UriTooLong",
            431, "HeaderTooLarge",
            500, "InternalError",
            503, "Unavailable");

    private static final JsonObject CONTRACT = load();

    /** By schema, because the preparation of a validator takes much longer than a validation. */
    private static final Map<String, Validator> VALIDATORS = new ConcurrentHashMap<>();

    private final JsonObject contract = CONTRACT;

    void verify(String method, URI uri, HttpResponse<String> response) {
        String where = method + " " + uri + " → " + response.statusCode();
        List<JsonObject> declared = declared(method, uri.getRawPath(), response.statusCode());
        assertThat(declared).as(where + " is in openapi.json").isNotEmpty();
        for (JsonObject one : declared) {
            verifyHeaders(where, one, response);
            if (!method.equals("HEAD")) {
                verifyBody(where, one, response);
            }
        }
    }

    private void verifyHeaders(String where, JsonObject declared, HttpResponse<String> response) {
        Set<String> known = new TreeSet<>();
        JsonObject headers = declared.getJsonObject("headers")
                .copy()
                .mergeIn(declared.getJsonObject("x-other-headers", new JsonObject()));
        for (Map.Entry<String, Object> header : headers) {
            String name = header.getKey().toLowerCase(Locale.ROOT);
            known.add(name);
            if (Boolean.TRUE.equals(resolve((JsonObject) header.getValue()).getBoolean("required"))) {
                assertThat(response.headers().map().keySet())
                        .as(where + " has " + name)
                        .contains(name);
            }
        }
        Set<String> sent = response.headers().map().keySet().stream()
                .map(name -> name.toLowerCase(Locale.ROOT))
                .filter(name -> !OF_THE_MESSAGE.contains(name))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(known).as(where + " declares its headers").containsAll(sent);
    }

    private void verifyBody(String where, JsonObject declared, HttpResponse<String> response) {
        JsonObject content = declared.getJsonObject("content");
        if (content == null) {
            assertThat(response.body()).as(where).isEmpty();
            return;
        }
        String type = response.headers().firstValue("content-type").orElse("none");
        content = content.copy().mergeIn(declared.getJsonObject("x-other-content", new JsonObject()));
        assertThat(content.fieldNames()).as(where).contains(type);
        JsonObject schema = content.getJsonObject(type).getJsonObject("schema");
        String mediaType = type.replaceFirst(";.*", "");
        OutputUnit outcome = mediaType.endsWith("json") && !mediaType.endsWith("ndjson")
                ? validate(schema, response.body())
                : validator(schema).validate(response.body());
        assertThat(outcome.getValid()).as(where + ": " + outcome.getErrors()).isTrue();
    }

    /** Validates a JSON document against a schema that may refer into the contract. */
    public OutputUnit validate(JsonObject schema, String body) {
        return VALIDATORS
                .computeIfAbsent(
                        schema.encode(),
                        text -> validator(new JsonObject(text)
                                .put(
                                        "components",
                                        contract.getJsonObject("components").copy())))
                .validate(new JsonObject(body));
    }

    /** Validates a JSON document against a schema of the contract. */
    public OutputUnit validate(String name, String body) {
        return validate(new JsonObject().put("$ref", "#/components/schemas/" + name), body);
    }

    public static Validator validator(JsonObject schema) {
        return Validator.create(
                JsonSchema.of(schema),
                new JsonSchemaOptions()
                        .setBaseUri("https://plumbline.invalid/")
                        .setDraft(Draft.DRAFT202012)
                        .setOutputFormat(OutputFormat.Basic));
    }

    /** The responses of the operations that match: of an instant check, the generic one and that of the module. */
    private List<JsonObject> declared(String method, String path, int status) {
        List<JsonObject> responses = new ArrayList<>();
        for (Map.Entry<String, Object> entry : contract.getJsonObject("paths")) {
            String template = entry.getKey().replace(".", "\\.");
            // a target can be unencoded and contain slashes
            // the ID of a shared result can be followed by a file extension, which is a path of its own
            String regex =
                    template.replace("{target}", ".+").replace("{id}", "[^/.]+").replaceAll("\\{[^}]+}", "[^/]+");
            if (path.matches(regex)) {
                String key = (method.equals("HEAD") ? "get" : method).toLowerCase(Locale.ROOT);
                JsonObject operation = ((JsonObject) entry.getValue()).getJsonObject(key);
                if (operation != null) {
                    JsonObject response = operation.getJsonObject("responses").getJsonObject(Integer.toString(status));
                    assertThat(response)
                            .as(operation.getString("operationId") + " " + status)
                            .isNotNull();
                    responses.add(resolve(response));
                }
            }
        }
        String shared = OF_ANY_PATH.get(status);
        if (responses.isEmpty() && status == 404) {
            responses.add(contract.getJsonObject("x-unknown-path"));
        } else if (responses.isEmpty() && shared != null) {
            responses.add(contract.getJsonObject("components")
                    .getJsonObject("responses")
                    .getJsonObject(shared));
        }
        return responses;
    }

    private JsonObject resolve(JsonObject node) {
        if (node == null || !node.containsKey("$ref")) {
            return node;
        }
        JsonObject found = contract;
        for (String step : node.getString("$ref").substring(2).split("/", -1)) {
            found = found.getJsonObject(step);
        }
        return found;
    }

    private static JsonObject load() {
        try (InputStream in = ContractValidator.class.getResourceAsStream("/openapi.json")) {
            JsonObject contract = ModuleOperations.addTo(
                    new JsonObject(new String(in.readAllBytes(), StandardCharsets.UTF_8)), ModuleCatalogue.load());
            // client generators do not support conditional keywords, and reject null for required objects and arrays
            for (Map.Entry<String, Object> schema :
                    contract.getJsonObject("components").getJsonObject("schemas")) {
                JsonObject keywords = (JsonObject) schema.getValue();
                keywords.mergeIn(keywords.getJsonObject("x-conditional", new JsonObject()));
                if (keywords.containsKey("x-always-present")) {
                    JsonArray required = keywords.getJsonArray("required", new JsonArray());
                    keywords.put("required", required.addAll(keywords.getJsonArray("x-always-present")));
                }
            }
            return contract;
        } catch (IOException broken) {
            throw new java.io.UncheckedIOException(broken);
        }
    }
}
