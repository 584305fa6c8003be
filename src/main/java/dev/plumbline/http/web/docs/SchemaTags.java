package dev.plumbline.http.web.docs;

import dev.plumbline.http.api.tool.ModuleOperations;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Assigns each schema of openapi.json to the first tag whose operations refer to it. */
final class SchemaTags {
    private final JsonObject contract;
    private final Map<String, String> tags = new LinkedHashMap<>();

    private SchemaTags(JsonObject contract) {
        this.contract = contract;
    }

    /** Returns the tag of each schema, except of those that describe one module. */
    static Map<String, String> of(JsonObject contract) {
        SchemaTags assignment = new SchemaTags(contract);
        for (Object tag : contract.getJsonArray("tags")) {
            String name = ((JsonObject) tag).getString("name");
            for (Map.Entry<String, Object> path : contract.getJsonObject("paths")) {
                for (Map.Entry<String, Object> method : (JsonObject) path.getValue()) {
                    JsonObject operation = (JsonObject) method.getValue();
                    if (operation.getJsonArray("tags").contains(name)
                            && !operation.containsKey(ModuleOperations.EXTENSION)) {
                        assignment.assign(operation, name);
                    }
                }
            }
        }
        return assignment.tags;
    }

    private void assign(@Nullable Object node, String tag) {
        if (node instanceof JsonArray array) {
            array.forEach(item -> assign(item, tag));
        } else if (node instanceof JsonObject object) {
            for (Map.Entry<String, Object> member : object) {
                if (member.getKey().equals("$ref") && member.getValue() instanceof String ref) {
                    follow(ref.substring(2).split("/", -1), tag);
                } else if (!member.getKey().equals("example")) {
                    assign(member.getValue(), tag);
                }
            }
        }
    }

    /** @param pointer {@code components}, the kind of component and its name */
    private void follow(String[] pointer, String tag) {
        JsonObject referenced =
                contract.getJsonObject(pointer[0]).getJsonObject(pointer[1]).getJsonObject(pointer[2]);
        boolean schema = pointer[1].equals("schemas");
        if (!schema || tags.putIfAbsent(pointer[2], tag) == null) {
            assign(referenced, tag);
        }
    }
}
