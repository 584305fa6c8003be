package dev.plumbline.http.api.share;

import dev.plumbline.result.ResultJson;
import dev.plumbline.share.SharedResult;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Serializes shared results as JSON. */
final class SharedResultJson {
    private static final String PATH = "/api/v1/results";

    private final String publicUrl;

    /** @param publicUrl the public base URL of the service */
    SharedResultJson(String publicUrl) {
        this.publicUrl = publicUrl;
    }

    /** Returns the URL of the list of shared results. */
    String location() {
        return publicUrl + PATH;
    }

    String location(SharedResult result) {
        return location() + '/' + result.id();
    }

    /** Returns a shared result without its content. */
    JsonObject members(SharedResult result) {
        return new JsonObject()
                .put("id", result.id())
                .put("kind", result.kind())
                .put("created_at", ResultJson.time(result.createdAt()))
                .put("expires_at", ResultJson.time(result.expiresAt()))
                .put(
                        "links",
                        new JsonObject()
                                .put("self", location(result))
                                .put("web", publicUrl + "/results/" + result.id()));
    }

    JsonObject created(SharedResult result, @Nullable String deleteToken) {
        return members(result).put("delete_token", deleteToken);
    }

    JsonObject list(List<SharedResult> results, @Nullable String nextCursor) {
        return new JsonObject()
                .put(
                        "results",
                        new JsonArray(results.stream()
                                .map(result -> members(result)
                                        .put("module", result.module())
                                        .put("name", result.name()))
                                .toList()))
                .put("next_cursor", nextCursor);
    }

    /** Returns a shared result with its options, but without its content. */
    JsonObject membersWithOptions(SharedResult result) {
        return members(result).put("options", new JsonObject(new TreeMap<>(result.options())));
    }

    /** Returns a shared check with its result, which is copied without parsing. */
    Buffer check(SharedResult shared, Buffer result) {
        String members = membersWithOptions(shared).putNull("job").encode();
        return Buffer.buffer(members.length() + result.length() + 16)
                .appendString(members.substring(0, members.length() - 1))
                .appendString(",\"result\":")
                .appendBuffer(result)
                .appendString("}");
    }
}
