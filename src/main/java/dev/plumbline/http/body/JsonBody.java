package dev.plumbline.http.body;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.plumbline.http.ApiContract;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.ProblemResponder;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Reads a small JSON request body and validates it against openapi.json. */
public final class JsonBody {
    private static final int MOST_BYTES = 16 << 10;
    private static final Duration WITHIN = Duration.ofSeconds(10);

    private static final ObjectMapper JSON = new ObjectMapper(JsonFactory.builder()
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .streamReadConstraints(
                            StreamReadConstraints.builder().maxNestingDepth(16).build())
                    .build())
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    private final RequestBodyReader bodies;
    private final ProblemResponder problems;
    private final BodySchema rules;

    public JsonBody(RequestBodyReader bodies, ProblemResponder problems, ApiContract contract, String operationId) {
        this.bodies = bodies;
        this.problems = problems;
        this.rules = BodySchema.of(contract.published(), operationId);
    }

    /**
     * Reads it; a request whose body is not as openapi.json says is answered.
     *
     * @param then called at most once, on the context of the request
     */
    public void read(RoutingContext ctx, Consumer<JsonObject> then) {
        bodies.readJson(ctx, MOST_BYTES, WITHIN, body -> {
            try {
                evaluate(ctx, body, then);
            } catch (RuntimeException fault) {
                ctx.fail(fault);
            }
        });
    }

    private void evaluate(RoutingContext ctx, Buffer body, Consumer<JsonObject> then) {
        Object value;
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(body.getBytes()))
                    .toString();
            value = vertx(JSON.readValue(text, Object.class));
        } catch (CharacterCodingException notUtf8) {
            problems.send(ctx, Problem.badRequest("The body is not UTF-8."));
            return;
        } catch (JsonProcessingException broken) {
            problems.send(ctx, Problem.badRequest(where(broken)));
            return;
        }
        List<Problem.Fault> faults = rules.faults(value);
        if (faults.isEmpty()) {
            then.accept((JsonObject) java.util.Objects.requireNonNull(value));
        } else {
            problems.send(ctx, invalid(faults));
        }
    }

    /** What keeps an object from being such a body; null: nothing. */
    public @Nullable Problem fault(JsonObject body) {
        List<Problem.Fault> faults = rules.faults(body);
        return faults.isEmpty() ? null : invalid(faults);
    }

    /** What the parser says itself may repeat what was sent, a password for one. */
    private static String where(JsonProcessingException broken) {
        return broken.getLocation() == null
                ? "The body is no JSON."
                : "The body is no JSON, or has a name twice: line "
                        + broken.getLocation().getLineNr()
                        + ", column "
                        + broken.getLocation().getColumnNr()
                        + ".";
    }

    @SuppressWarnings("unchecked")
    private static @Nullable Object vertx(@Nullable Object value) {
        if (value instanceof Map<?, ?> map) {
            return new JsonObject((Map<String, Object>) map);
        }
        return value instanceof List<?> list ? new JsonArray(list) : value;
    }

    /** A body that is JSON, and not what it should be. */
    public static Problem invalid(List<Problem.Fault> faults) {
        Problem.Fault first = faults.get(0);
        String detail = faults.size() > 1
                ? "errors names each fault"
                : first.where().isEmpty()
                        ? "It " + first.detail()
                        : "One thing in it is wrong: " + first.where() + " " + first.detail();
        return Problem.of(
                        422,
                        "invalid-body",
                        "The body is not what it should be",
                        detail + "; openapi.json says how the body has to be.")
                .withFaults(faults);
    }
}
