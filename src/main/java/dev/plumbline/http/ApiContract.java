package dev.plumbline.http;

import com.google.common.io.Resources;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.core.json.pointer.JsonPointer;
import io.vertx.openapi.contract.OpenAPIContract;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The OpenAPI document: validates requests and is served to clients. */
public final class ApiContract {
    private record Template(Pattern path, Set<String> methods) {}

    private final OpenAPIContract contract;
    private final JsonObject published;
    private final List<Template> templates;

    private ApiContract(OpenAPIContract contract, JsonObject published) {
        this.contract = contract;
        this.published = published;
        this.templates = new ArrayList<>();
        JsonObject paths = published.getJsonObject("paths");
        // they also match the paths without the extension
        filePaths(paths)
                .forEach(path -> addTemplate(
                        path,
                        paths.getJsonObject(path).fieldNames().stream()
                                .map(method -> method.toUpperCase(Locale.ROOT))));
        contract.getPaths()
                .forEach(path -> addTemplate(
                        path.getName(),
                        path.getOperations().stream()
                                .map(operation -> operation.getHttpMethod().name())));
    }

    private void addTemplate(String path, Stream<String> operations) {
        Set<String> methods = operations.collect(Collectors.toCollection(TreeSet::new));
        if (methods.contains("GET")) {
            methods.add("HEAD");
        }
        String regex = Pattern.quote(path).replaceAll("\\{[^/}]+}", "\\\\E[^/]+\\\\Q");
        templates.add(new Template(Pattern.compile(regex), methods));
    }

    /** The paths with a parameter that is a part of a segment. */
    private static List<String> filePaths(JsonObject paths) {
        return paths.fieldNames().stream()
                .filter(path -> path.matches(".*}[^/]+"))
                .toList();
    }

    /**
     * Loads openapi.json from the class path.
     *
     * @param publicUrl the server URL of the published document
     * @param disabledPaths the paths that this service does not have
     */
    public static Future<ApiContract> load(Vertx vertx, String publicUrl, Set<String> disabledPaths) {
        JsonObject shipped = new JsonObject(shipped());
        disabledPaths.forEach(shipped.getJsonObject("paths")::remove);
        JsonObject loadable = requestsOf(shipped);
        // paths are matched below the root, whatever the public base URL
        JsonObject internal = withServer(loadable, "http://localhost");
        return OpenAPIContract.from(vertx, internal)
                .map(contract -> new ApiContract(contract, published(shipped, publicUrl)));
    }

    public OpenAPIContract openApi() {
        return contract;
    }

    /** Returns the same contract with another document for clients. */
    public ApiContract withPublished(JsonObject document) {
        return new ApiContract(contract, document);
    }

    /** The document as served. */
    public JsonObject published() {
        return published;
    }

    /**
     * Returns a copy of a node of an OpenAPI document with the referenced nodes in place of their references.
     *
     * @param kept whether a member of an object is copied
     */
    public static @Nullable Object resolved(
            JsonObject document, @Nullable Object node, Predicate<Map.Entry<String, Object>> kept) {
        if (node instanceof JsonArray items) {
            JsonArray copy = new JsonArray();
            items.forEach(item -> copy.add(resolved(document, item, kept)));
            return copy;
        }
        if (!(node instanceof JsonObject object)) {
            return node;
        }
        if (object.getValue("$ref") instanceof String reference) {
            return resolved(document, JsonPointer.from(reference.substring(1)).queryJson(document), kept);
        }
        JsonObject copy = new JsonObject();
        for (Map.Entry<String, Object> member : object) {
            if (kept.test(member)) {
                copy.put(member.getKey(), resolved(document, member.getValue(), kept));
            }
        }
        return copy;
    }

    public Set<String> operationIds() {
        Set<String> ids = new TreeSet<>();
        contract.operations().forEach(operation -> ids.add(operation.getOperationId()));
        return ids;
    }

    /** Returns the methods of a path, comma-separated; empty for an unknown path. */
    public String allowed(String path) {
        for (Template template : templates) {
            if (template.path().matcher(path).matches()) {
                return String.join(", ", template.methods());
            }
        }
        return "";
    }

    /**
     * Removes response contents, because the validator supports few media types and only requests are validated, and
     * security requirements, because the operations authenticate requests themselves. Also removes paths with a
     * parameter that is a part of a segment, for example a file extension, because the router does not support them:
     * the operation of the path without the extension serves them, and has their parameters.
     */
    private static JsonObject requestsOf(JsonObject contract) {
        JsonObject requests = contract.copy();
        List<JsonObject> responses = new ArrayList<>();
        responses.add(requests.getJsonObject("components").getJsonObject("responses"));
        JsonObject paths = requests.getJsonObject("paths");
        filePaths(paths)
                .forEach(path ->
                        addParameters(paths.getJsonObject(path.substring(0, path.lastIndexOf('}') + 1)), (JsonObject)
                                paths.remove(path)));
        for (String path : paths.fieldNames()) {
            JsonObject operations = paths.getJsonObject(path);
            for (String method : operations.fieldNames()) {
                operations.getJsonObject(method).remove("security");
                responses.add(operations.getJsonObject(method).getJsonObject("responses"));
            }
        }
        for (JsonObject byStatus : responses) {
            for (String status : byStatus.fieldNames()) {
                byStatus.getJsonObject(status).remove("content");
            }
        }
        return requests;
    }

    private static void addParameters(JsonObject operations, JsonObject files) {
        for (String method : files.fieldNames()) {
            JsonArray parameters = operations.getJsonObject(method).getJsonArray("parameters");
            files.getJsonObject(method).getJsonArray("parameters").stream()
                    .filter(parameter -> parameters.stream().noneMatch(parameter::equals))
                    .toList()
                    .forEach(parameters::add);
        }
    }

    private static JsonObject published(JsonObject contract, String url) {
        JsonObject document = withServer(contract, url);
        document.getJsonObject("info")
                .put(
                        "contact",
                        new JsonObject().put("name", "Operator of this service").put("url", url));
        return document;
    }

    private static JsonObject withServer(JsonObject contract, String url) {
        return contract.copy().put("servers", new JsonArray().add(new JsonObject().put("url", url)));
    }

    private static String shipped() {
        try {
            return Resources.toString(
                    Resources.getResource(ApiContract.class, "/openapi.json"), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
