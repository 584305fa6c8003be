package dev.plumbline.http.body;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.plumbline.http.ApiContract;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.ProblemException;
import io.vertx.core.Future;
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
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Reads a small JSON request body and validates it against openapi.json. */
public final class JsonBody {
    private static final int MAX_BYTES = 16 << 10;
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private static final int MAX_NESTING = 16;
    private static final int MAX_NUMBER_LENGTH = 1_000;

    private static final ObjectMapper JSON = new ObjectMapper(JsonFactory.builder()
                    // the symbol table rejects names with equal hash codes, and can fail with an internal error
                    .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxNestingDepth(MAX_NESTING)
                            .maxNumberLength(MAX_NUMBER_LENGTH)
                            .maxNameLength(Integer.MAX_VALUE)
                            .build())
                    .build())
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    private final RequestBodyReader bodies;
    private final BodySchema schema;

    public JsonBody(RequestBodyReader bodies, ApiContract contract, String operationId) {
        this.bodies = bodies;
        this.schema = BodySchema.of(contract.published(), operationId);
    }

    /**
     * Reads the body.
     *
     * @param next called at most once, on the context of the request; not called if the body is not valid
     */
    public void read(RoutingContext ctx, Consumer<JsonObject> next) {
        bodies.readJson(ctx, MAX_BYTES, TIMEOUT, body -> next.accept(valid(body)));
    }

    /**
     * Parses JSON with at most 16 nesting levels and without duplicate members.
     *
     * @return a {@link JsonObject}, a {@link JsonArray}, a string, a number, a boolean or null
     * @throws ProblemException 400 if it is not valid
     */
    public static @Nullable Object parse(Buffer body) {
        try {
            ByteBuffer bytes = ByteBuffer.wrap(body.getBytes());
            String text = StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
            return toVertx(JSON.readValue(text, Object.class));
        } catch (CharacterCodingException e) {
            throw new ProblemException(Problem.badRequest("The request body is not valid UTF-8."));
        } catch (StreamConstraintsException e) {
            throw new ProblemException(Problem.badRequest(
                    "The request body has more than %s nesting levels or a number with more than %s digits."
                            .formatted(MAX_NESTING, MAX_NUMBER_LENGTH)));
        } catch (JsonProcessingException e) {
            throw new ProblemException(Problem.badRequest(syntaxError(e)));
        }
    }

    /** Whether a text contains an unpaired surrogate, which JSON permits and Unicode does not. */
    public static boolean hasUnpairedSurrogate(String text) {
        return text.codePoints().anyMatch(c -> Character.getType(c) == Character.SURROGATE);
    }

    private JsonObject valid(Buffer body) {
        Object value = parse(body);
        List<Problem.Fault> faults = schema.faults(value);
        if (!faults.isEmpty()) {
            throw new ProblemException(invalid(faults));
        }
        return (JsonObject) Objects.requireNonNull(value);
    }

    /** Validates a body. Fails with a {@link ProblemException} if it is not valid. */
    public Future<JsonObject> validate(JsonObject body) {
        List<Problem.Fault> faults = schema.faults(body);
        return faults.isEmpty() ? Future.succeededFuture(body) : ProblemException.failed(invalid(faults));
    }

    /** Returns the position of the error. The message of the parser can contain input, such as a password. */
    private static String syntaxError(JsonProcessingException e) {
        JsonLocation at = e.getLocation();
        return "The request body is not valid JSON"
                + (at == null
                        ? "."
                        : " or contains a duplicate member. Error at line %s, column %s."
                                .formatted(at.getLineNr(), at.getColumnNr()));
    }

    @SuppressWarnings("unchecked")
    private static @Nullable Object toVertx(@Nullable Object value) {
        if (value instanceof Map<?, ?> map) {
            return new JsonObject((Map<String, Object>) map);
        }
        return value instanceof List<?> list ? new JsonArray(list) : value;
    }

    /** Returns the problem of a body that is valid JSON but has errors. */
    public static Problem invalid(List<Problem.Fault> faults) {
        Problem.Fault first = faults.get(0);
        String detail = faults.size() > 1
                ? "The request body has " + faults.size() + " errors. See `errors`."
                : (first.where().isEmpty() ? "The request body" : first.where()) + " " + first.detail() + ".";
        return Problem.of(422, "invalid-body", "Invalid request body", detail + " openapi.json contains the schema.")
                .withFaults(faults);
    }
}
