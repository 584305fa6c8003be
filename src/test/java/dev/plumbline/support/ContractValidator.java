package dev.plumbline.support;

import static org.assertj.core.api.Assertions.assertThat;

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
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Validates responses against openapi.json: status, headers, media type and body. */
public final class ContractValidator {
    /** Headers of the HTTP server that openapi.json does not declare. */
    private static final Set<String> OF_THE_MESSAGE =
            Set.of("content-type", "content-length", "connection", "date", "transfer-encoding", ":status");

    private static final Map<Integer, String> OF_ANY_PATH = Map.of(
            400, "BadRequest",
            404, "NotFound",
            405, "MethodNotAllowed",
            408, "RequestTimeout",
            413, "ContentTooLarge",
            414, "UriTooLong",
            431, "HeaderTooLarge",
            500, "InternalError",
            503, "Unavailable");

    private final JsonObject contract = load();

    void verify(String method, URI uri, HttpResponse<String> response) {
        String where = method + " " + uri + " → " + response.statusCode();
        JsonObject declared = declared(method, uri.getRawPath(), response.statusCode());
        assertThat(declared).as(where + " is in openapi.json").isNotNull();
        verifyHeaders(where, declared, response);
        if (!method.equals("HEAD")) {
            verifyBody(where, declared, response);
        }
    }

    private void verifyHeaders(String where, JsonObject declared, HttpResponse<String> response) {
        Set<String> known = new TreeSet<>();
        for (Map.Entry<String, Object> header : declared.getJsonObject("headers")) {
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
        assertThat(content.fieldNames()).as(where).contains(type);
        JsonObject schema = content.getJsonObject(type).getJsonObject("schema");
        OutputUnit outcome = type.endsWith("json") && !type.endsWith("ndjson")
                ? validate(schema, response.body())
                : validator(schema).validate(response.body());
        assertThat(outcome.getValid()).as(where + ": " + outcome.getErrors()).isTrue();
    }

    /** Validates a JSON document against a schema that may refer into the contract. */
    public OutputUnit validate(JsonObject schema, String body) {
        JsonObject whole = schema.copy()
                .put("components", contract.getJsonObject("components").copy());
        return validator(whole).validate(new JsonObject(body));
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

    private JsonObject declared(String method, String path, int status) {
        for (Map.Entry<String, Object> entry : contract.getJsonObject("paths")) {
            String template = entry.getKey().replace(".", "\\.");
            // a target can be unencoded and contain slashes
            String regex = template.replace("{target}", ".+").replaceAll("\\{[^}]+}", "[^/]+");
            if (path.matches(regex)) {
                String key = (method.equals("HEAD") ? "get" : method).toLowerCase(Locale.ROOT);
                JsonObject operation = ((JsonObject) entry.getValue()).getJsonObject(key);
                if (operation != null) {
                    return resolve(operation.getJsonObject("responses").getJsonObject(Integer.toString(status)));
                }
            }
        }
        String shared = OF_ANY_PATH.get(status);
        return shared == null
                ? null
                : contract.getJsonObject("components")
                        .getJsonObject("responses")
                        .getJsonObject(shared);
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
            return new JsonObject(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException broken) {
            throw new java.io.UncheckedIOException(broken);
        }
    }
}
