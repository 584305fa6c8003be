package dev.plumbline.http.api.job;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.google.common.hash.Hasher;
import com.google.common.hash.Hashing;
import dev.plumbline.bus.JobMessage;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.ProblemException;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.target.TargetPolicy;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Parses the body of a request to create a job in one pass and collects all errors. Accepts the bodies that match
 * openapi.json, see {@link JobRequestSchema}, and the {@code options_schema} of the module. The validation of the
 * Vert.x router takes about 30 times as long and reports only one error.
 */
final class JobRequestReader {
    /** Larger bodies must be parsed on a worker thread. */
    static final int SMALL_BYTES = 64 << 10;

    private static final int MAX_NESTING = 64;
    private static final int MAX_NUMBER_LENGTH = 100;
    private static final int MAX_NAME_LENGTH = 8 * 1024 * 1024;

    /** A large body is not copied as a whole. */
    private static final int HASH_BYTES = 64 << 10;

    private static final int MAX_LIST_ITEMS = 100;
    private static final double MAX_EXACT_DOUBLE = 1L << 53;

    /** A value that no option accepts. */
    private static final Object UNSUPPORTED = new Object();

    /** The byte order mark in UTF-8. */
    private static final int BYTE_ORDER_MARK = (byte) 0xef << 16 | 0xbbbf;

    private static final JsonFactory JSON = JsonFactory.builder()
            // clients could fill the symbol table
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(MAX_NESTING)
                    .maxNumberLength(MAX_NUMBER_LENGTH)
                    .maxNameLength(MAX_NAME_LENGTH)
                    .build())
            .build();

    private final ModuleCatalogue modules;
    private final JobRequestSchema schema;
    private final TargetPolicy targets;

    /** @param targets the hosts that {@code connect_to} can name */
    JobRequestReader(ModuleCatalogue modules, JobRequestSchema schema, TargetPolicy targets) {
        this.modules = modules;
        this.schema = schema;
        this.targets = targets;
    }

    JobRequestSchema schema() {
        return schema;
    }

    /**
     * A valid request.
     *
     * @param name valid by openapi.json; the default if the body has no name
     * @param items the lines as submitted
     * @param options the options that differ from the defaults of the module
     * @param fresh whether cached results must not be used
     * @param defaultPolicy not validated; null for none
     */
    record JobRequest(
            String name,
            ModuleDescription description,
            List<String> items,
            Map<String, Object> options,
            boolean fresh,
            JobMessage.@Nullable DefaultPolicy defaultPolicy) {
        String module() {
            return description.module();
        }
    }

    /**
     * A parsed body.
     *
     * @param hash the SHA-256 of the body in base64url; empty if not requested
     */
    record Parsed(JobRequest job, String hash) {}

    /** @throws ProblemException as {@link #read} */
    Parsed parse(Buffer body, boolean hashed) {
        return new Parsed(read(body), hashed ? hash(body) : "");
    }

    private static String hash(Buffer body) {
        Hasher hasher = Hashing.sha256().newHasher();
        for (int from = 0; from < body.length(); from += HASH_BYTES) {
            hasher.putBytes(body.getBytes(from, Math.min(body.length(), from + HASH_BYTES)));
        }
        return text(hasher);
    }

    /** @throws ProblemException 400 if the body is not valid JSON; 422 with 1 to 100 errors if it is not a valid job */
    JobRequest read(Buffer body) {
        int from = body.length() >= 3 && body.getMedium(0) == BYTE_ORDER_MARK ? 3 : 0;
        Reader text = new InputStreamReader(
                // a decoder instance reports malformed input; a charset would replace it
                new BufferInputStream(body, from), StandardCharsets.UTF_8.newDecoder());
        try (JsonParser json = JSON.createParser(text)) {
            return new Parse(json).parse();
        } catch (StreamConstraintsException e) {
            throw malformed("The request body has more than %s nesting levels or a number with more than %s digits."
                    .formatted(MAX_NESTING, MAX_NUMBER_LENGTH));
        } catch (JsonProcessingException e) {
            JsonLocation at = e.getLocation();
            throw malformed("The request body is not valid JSON."
                    + (at == null ? "" : " Error at line %s, column %s.".formatted(at.getLineNr(), at.getColumnNr())));
        } catch (CharacterCodingException e) {
            throw malformed("The request body is not valid UTF-8.");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static ProblemException malformed(String detail) {
        return new ProblemException(Problem.badRequest(detail));
    }

    /**
     * Validates the values of a form.
     *
     * @param name null for the default
     * @param options typed values, including {@code fresh}
     * @param defaultPolicy that of a valid job; null for none
     * @throws ProblemException 422 as {@link #read}
     */
    Parsed validate(
            @Nullable String name,
            String module,
            List<String> items,
            Map<String, Object> options,
            JobMessage.@Nullable DefaultPolicy defaultPolicy) {
        JobRequestDraft draft = new JobRequestDraft(modules, schema, targets);
        draft.members.addAll(schema.members());
        draft.module(module);
        if (name != null) {
            draft.name(name);
        }
        for (int i = 0; i < items.size() && !draft.isFull(); i++) {
            draft.item(i, items.get(i));
        }
        draft.count(items.size());
        draft.options.putAll(options);
        if (defaultPolicy != null) {
            draft.defaultPolicy(defaultPolicy);
        }
        JobRequest job = draft.validate();
        Hasher hasher = Hashing.sha256().newHasher();
        for (String item : items) {
            hasher.putInt(item.length()).putUnencodedChars(item);
        }
        hasher.putUnencodedChars(job.module() + '\n' + job.name() + '\n' + job.options() + job.fresh());
        if (job.defaultPolicy() != null) {
            hasher.putUnencodedChars(job.defaultPolicy().toString());
        }
        return new Parsed(job, text(hasher));
    }

    private static String text(Hasher hasher) {
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(hasher.hash().asBytes());
    }

    /** One pass over one body. Values without a meaning are skipped, so that they take no memory. */
    private final class Parse extends JobRequestDraft {
        private final JsonParser json;

        Parse(JsonParser json) {
            super(modules, schema, targets);
            this.json = json;
        }

        JobRequest parse() throws IOException {
            JsonToken first = json.nextToken();
            if (first == null) {
                throw malformed("The request body is empty. Send a JSON object with module and items.");
            }
            if (first != JsonToken.START_OBJECT) {
                json.skipChildren();
                endOfBody();
                addFault(
                        "",
                        ("must be an object with module (an identifier from /api/v1/tools), items (an array of %s to %s"
                                        + " strings), optional options (an object) and an optional name (a string), not %s")
                                .formatted(schema.minItems(), schema.maxItems(), typeName(first)));
                throw invalid();
            }
            while (!isFull() && json.nextToken() != JsonToken.END_OBJECT) {
                String name = json.currentName();
                json.nextToken();
                member(name);
                json.skipChildren();
            }
            if (isFull()) {
                throw invalid();
            }
            endOfBody();
            return validate();
        }

        private static String typeName(JsonToken value) {
            return switch (value) {
                case START_ARRAY -> "an array";
                case VALUE_STRING -> "a string";
                case VALUE_NULL, VALUE_TRUE, VALUE_FALSE -> value.asString();
                default -> "a number";
            };
        }

        private void endOfBody() throws IOException {
            if (json.nextToken() != null) {
                throw new JsonParseException(json, "unexpected content after the object", json.currentTokenLocation());
            }
        }

        private void member(String name) throws IOException {
            if (!members.add(name)) {
                addFault(pointer("", name), "must not be repeated");
                return;
            }
            switch (name) {
                case "module" -> {
                    if (expect(JsonToken.VALUE_STRING, "/module", "must be a string with the identifier of a module")) {
                        module(json.getText());
                    }
                }
                case "items" -> {
                    if (expect(JsonToken.START_ARRAY, "/items", "must be an array of strings")) {
                        items();
                    }
                }
                case "options" -> {
                    if (expect(JsonToken.START_OBJECT, "/options", "must be an object")) {
                        options();
                    }
                }
                case "name" -> {
                    if (expect(JsonToken.VALUE_STRING, "/name", "must be a string")) {
                        name(json.getText());
                    }
                }
                // responses contain null if there is no policy
                case "policy" -> {
                    if (!isNull()
                            && expect(
                                    JsonToken.VALUE_STRING,
                                    "/policy",
                                    "must be a string with the name of a policy, or null")) {
                        policy(json.getText());
                    }
                }
                case "expect" -> {
                    if (!isNull() && expect(JsonToken.START_ARRAY, "/expect", "must be an array of strings, or null")) {
                        expectations();
                    }
                }
                default ->
                    addFault(
                            pointer("", name),
                            "is not a known property; allowed properties: " + String.join(", ", schema.members()));
            }
        }

        private boolean isNull() {
            return json.currentToken() == JsonToken.VALUE_NULL;
        }

        /** Whether the value has this type; otherwise adds a fault. */
        private boolean expect(JsonToken type, String pointer, String fault) {
            if (json.currentToken() != type) {
                addFault(pointer, fault);
            }
            return json.currentToken() == type;
        }

        private void items() throws IOException {
            int count = 0;
            while (!isFull() && json.nextToken() != JsonToken.END_ARRAY) {
                item(count++);
                json.skipChildren();
            }
            count(count);
        }

        private void item(int index) throws IOException {
            if (expect(JsonToken.VALUE_STRING, "/items/" + index, "must be a string")) {
                // avoids creating a string of a long text
                item(index, json.getTextLength() > schema.maxItemBytes() ? null : json.getText());
            }
        }

        private void expectations() throws IOException {
            int count = 0;
            while (!isFull() && json.nextToken() != JsonToken.END_ARRAY) {
                if (expect(JsonToken.VALUE_STRING, "/expect/" + count, "must be a string")) {
                    expectation(count, json.getText());
                }
                count++;
                json.skipChildren();
            }
            expectationCount(count);
        }

        private void options() throws IOException {
            while (!isFull() && json.nextToken() != JsonToken.END_OBJECT) {
                String name = json.currentName();
                json.nextToken();
                if (options.containsKey(name)) {
                    addFault(pointer("/options", name), "must not be repeated");
                } else if (options.size() <= JobRequestDraft.MAX_FAULTS) {
                    // further ones are skipped: no module has so many
                    options.put(name, json.currentToken() == JsonToken.START_ARRAY ? list() : scalar());
                }
                json.skipChildren();
            }
        }

        private List<@Nullable Object> list() throws IOException {
            List<@Nullable Object> kept = new ArrayList<>();
            while (json.nextToken() != JsonToken.END_ARRAY) {
                if (kept.size() < MAX_LIST_ITEMS) {
                    kept.add(scalar());
                }
                json.skipChildren();
            }
            return kept;
        }

        private @Nullable Object scalar() throws IOException {
            return switch (json.currentToken()) {
                case VALUE_TRUE, VALUE_FALSE -> json.getBooleanValue();
                case VALUE_STRING -> json.getText();
                case VALUE_NULL -> null;
                case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> whole(json.getDoubleValue());
                default -> UNSUPPORTED;
            };
        }

        /** In JSON Schema, 5.0 is an integer. */
        private static Object whole(double value) {
            boolean exact = value == Math.rint(value) && Math.abs(value) < MAX_EXACT_DOUBLE;
            return exact ? (Object) (long) value : UNSUPPORTED;
        }
    }
}
