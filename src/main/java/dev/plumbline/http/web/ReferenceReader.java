package dev.plumbline.http.web;

import dev.plumbline.http.web.Reference.Answer;
import dev.plumbline.http.web.Reference.Body;
import dev.plumbline.http.web.Reference.Call;
import dev.plumbline.http.web.Reference.Group;
import dev.plumbline.http.web.Reference.Named;
import dev.plumbline.http.web.Reference.Parameter;
import dev.plumbline.http.web.Reference.ProblemType;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads openapi.json (OpenAPI 3.1) for the page that explains it. */
final class ReferenceReader {
  private static final Map<String, String> ACCESS =
      Map.of(
          "bearerKey", "With an API key (Authorization: Bearer KEY, or X-Api-Key: KEY).",
          "session", "Signed in: with the session's cookie.");

  private final JsonObject contract;
  private final CallExamples examples;

  private ReferenceReader(JsonObject contract, String server) {
    this.contract = contract;
    this.examples = new CallExamples(server);
  }

  /**
   * @param contract as it is published
   * @param server under which people reach the service
   */
  static Reference read(JsonObject contract, String server) {
    ReferenceReader reader = new ReferenceReader(contract, server);
    List<Named> schemas = new ArrayList<>();
    contract
        .getJsonObject("components")
        .getJsonObject("schemas")
        .forEach(
            schema ->
                schemas.add(new Named(schema.getKey(), Shapes.of((JsonObject) schema.getValue()))));
    List<ProblemType> problems = new ArrayList<>();
    for (JsonObject type : objects(contract.getJsonArray("x-problem-types"))) {
      problems.add(
          new ProblemType(
              type.getString("code"),
              type.getInteger("status"),
              type.getString("title"),
              Prose.of(type.getString("why")),
              Prose.of(type.getString("action"))));
    }
    return new Reference(
        server,
        Prose.of(contract.getJsonObject("info").getString("description")),
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
        byTag
            .computeIfAbsent(tag, none -> new ArrayList<>())
            .add(call(method.getKey().toUpperCase(Locale.ROOT), path.getKey(), operation));
      }
    }
    return tags.stream()
        .map(
            tag -> {
              String name = tag.getString("name");
              return new Group(
                  "tag-" + name,
                  name.substring(0, 1).toUpperCase(Locale.ROOT) + name.substring(1),
                  Prose.of(tag.getString("description")),
                  byTag.getOrDefault(name, List.of()));
            })
        .toList();
  }

  private Call call(String method, String path, JsonObject operation) {
    List<JsonObject> given =
        objects(operation.getJsonArray("parameters")).stream().map(this::resolve).toList();
    JsonObject wanted = operation.getJsonObject("requestBody");
    String access = access(operation);
    Body body = wanted == null ? null : bodies(resolve(wanted)).get(0);
    List<Answer> answers = new ArrayList<>();
    List<Answer> refusals = new ArrayList<>();
    for (Map.Entry<String, Object> response : operation.getJsonObject("responses")) {
      boolean refused = response.getKey().compareTo("400") >= 0;
      (refused ? refusals : answers)
          .add(answer(response.getKey(), resolve((JsonObject) response.getValue())));
    }
    return new Call(
        operation.getString("operationId"),
        method,
        path,
        operation.getString("summary"),
        Prose.of(operation.getString("description")),
        ACCESS.getOrDefault(access, ""),
        given.stream().map(ReferenceReader::parameter).toList(),
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
    Shape shape = Shapes.of(parameter.getJsonObject("schema"));
    Object example = parameter.getValue("example");
    return new Parameter(
        parameter.getString("in"),
        new Shape(
            parameter.getString("name"),
            shape.type(),
            shape.reference(),
            parameter.getBoolean("required", false),
            Prose.of(parameter.getString("description")),
            shape.limits(),
            List.of()),
        example == null ? null : example.toString());
  }

  private Answer answer(String status, JsonObject response) {
    List<String> headers =
        new ArrayList<>(response.getJsonObject("headers", new JsonObject()).fieldNames());
    return new Answer(
        status, Prose.of(response.getString("description")), headers, bodies(response));
  }

  private static List<Body> bodies(JsonObject holder) {
    List<Body> bodies = new ArrayList<>();
    for (Map.Entry<String, Object> content : holder.getJsonObject("content", new JsonObject())) {
      JsonObject media = (JsonObject) content.getValue();
      bodies.add(
          new Body(
              content.getKey(),
              Prose.of(holder.getString("description")),
              Shapes.of(media.getJsonObject("schema")),
              text(media.getValue("example"))));
    }
    return bodies;
  }

  private static @Nullable String text(@Nullable Object example) {
    return example instanceof JsonObject json
        ? json.encodePrettily()
        : example == null ? null : example.toString();
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
    return array == null ? List.of() : array.stream().map(JsonObject.class::cast).toList();
  }
}
