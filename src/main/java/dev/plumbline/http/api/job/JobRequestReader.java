package dev.plumbline.http.api.job;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.ModuleDescription;
import dev.plumbline.check.Options;
import dev.plumbline.http.problem.Problem;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Parses the body of a request to create a job in one pass and collects all errors. Accepts the bodies that match
 * openapi.json and the {@code options_schema} of the module. The validation of the Vert.x router takes about 30 times
 * as long and reports only one error.
 */
final class JobRequestReader {
    /** Larger bodies must be parsed on a worker thread. */
    static final int SMALL_BYTES = 64 << 10;

    static final int MAX_ITEMS = 500;
    static final int MAX_ITEM_BYTES = 2048;
    static final int MAX_FAULTS = 100;

    private static final int MAX_NESTING = 64;
    private static final int MAX_NUMBER_LENGTH = 100;
    private static final int MAX_NAME_LENGTH = 8 * 1024 * 1024;

    private static final String UNPAIRED_SURROGATE = "contains an unpaired surrogate, which is not valid Unicode";

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

    JobRequestReader(ModuleCatalogue modules) {
        this.modules = modules;
    }

    /** The outcome of parsing. */
    sealed interface Outcome {}

    /**
     * A valid request.
     *
     * @param items the lines as submitted, 1 to 500
     * @param options the options that differ from the defaults of the module
     * @param fresh whether cached results must not be used
     */
    record Valid(String module, List<String> items, Map<String, Object> options, boolean fresh) implements Outcome {}

    /** The body is not valid JSON. The detail contains the position. */
    record Malformed(String detail) implements Outcome {}

    /**
     * The body is valid JSON but not a valid job.
     *
     * @param faults at least one, at most 100
     */
    record Invalid(List<Problem.Fault> faults) implements Outcome {}

    /**
     * A parsed body.
     *
     * @param hash the SHA-256 of the body in base64url; null if not requested
     */
    record Parsed(Outcome outcome, @Nullable String hash) {}

    Parsed parse(Buffer body, boolean hashed) {
        return new Parsed(read(body), hashed ? hash(body) : null);
    }

    private static String hash(Buffer body) {
        try (BufferInputStream in = new BufferInputStream(body, 0)) {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            in.transferTo(new DigestOutputStream(OutputStream.nullOutputStream(), digest));
            return Base64.getUrlEncoder().withoutPadding().encodeToString(digest.digest());
        } catch (IOException | NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    Outcome read(Buffer body) {
        int from = body.length() >= 3 && body.getMedium(0) == BYTE_ORDER_MARK ? 3 : 0;
        Reader text = new InputStreamReader(
                // a decoder instance reports malformed input; a charset would replace it
                new BufferInputStream(body, from), StandardCharsets.UTF_8.newDecoder());
        try (JsonParser json = JSON.createParser(text)) {
            return new Parse(json).parse();
        } catch (StreamConstraintsException e) {
            return new Malformed("The request body has more than "
                    + MAX_NESTING
                    + " nesting levels or a number with more than "
                    + MAX_NUMBER_LENGTH
                    + " digits.");
        } catch (JsonProcessingException e) {
            JsonLocation location = e.getLocation();
            return new Malformed(
                    location == null
                            ? "The request body is not valid JSON."
                            : "The request body is not valid JSON. Error at line "
                                    + location.getLineNr()
                                    + ", column "
                                    + location.getColumnNr()
                                    + ".");
        } catch (CharacterCodingException e) {
            return new Malformed("The request body is not valid UTF-8.");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** One pass over one body. */
    private final class Parse {
        private final JsonParser json;
        private final RequestFaultList faults = new RequestFaultList(MAX_FAULTS);
        private boolean hasModule;
        private boolean hasItems;
        private boolean hasOptions;
        private @Nullable ModuleDescription module;
        private final List<String> items = new ArrayList<>();
        private final Map<String, @Nullable Object> options = new TreeMap<>();

        Parse(JsonParser json) {
            this.json = json;
        }

        Outcome parse() throws IOException {
            JsonToken first = json.nextToken();
            if (first == null) {
                return new Malformed("The request body is empty. Send a JSON object with module and items.");
            }
            if (first != JsonToken.START_OBJECT) {
                json.skipChildren();
                endOfBody();
                faults.add(
                        "",
                        "must be an object with module (an identifier from /api/v1/tools), items (an array of 1 to "
                                + MAX_ITEMS
                                + " strings) and optional options (an object), not "
                                + typeName(first));
                return new Invalid(faults.list());
            }
            while (!faults.full() && json.nextToken() != JsonToken.END_OBJECT) {
                member(json.currentName());
            }
            if (faults.full()) {
                return new Invalid(faults.list());
            }
            endOfBody();
            return validate();
        }

        private static String typeName(JsonToken value) {
            return switch (value) {
                case START_ARRAY -> "an array";
                case VALUE_STRING -> "a string";
                case VALUE_NULL -> "null";
                case VALUE_TRUE -> "true";
                case VALUE_FALSE -> "false";
                default -> "a number";
            };
        }

        private void endOfBody() throws IOException {
            if (json.nextToken() != null) {
                throw new JsonParseException(json, "unexpected content after the object", json.currentTokenLocation());
            }
        }

        private void member(String name) throws IOException {
            json.nextToken();
            switch (name) {
                case "module" -> {
                    if (first(hasModule, "/module")) {
                        module();
                    }
                    hasModule = true;
                }
                case "items" -> {
                    if (first(hasItems, "/items")) {
                        items();
                    }
                    hasItems = true;
                }
                case "options" -> {
                    if (first(hasOptions, "/options")) {
                        options();
                    }
                    hasOptions = true;
                }
                default -> {
                    json.skipChildren();
                    faults.add(
                            RequestFaultList.pointer("", name),
                            "is not a known property; allowed properties: module, items, options");
                }
            }
        }

        private boolean first(boolean given, String pointer) throws IOException {
            if (given) {
                json.skipChildren();
                faults.add(pointer, "must not be repeated");
            }
            return !given;
        }

        private void module() throws IOException {
            if (json.currentToken() != JsonToken.VALUE_STRING) {
                json.skipChildren();
                faults.add("/module", "must be a string with the identifier of a module");
                return;
            }
            String name = json.getText();
            ModuleDefinition<?> known = modules.find(name);
            if (known == null) {
                faults.add(
                        "/module",
                        "is not a known module: '"
                                + RequestFaultList.shown(name)
                                + "'; /api/v1/tools lists all modules");
            } else {
                module = known.description();
            }
        }

        private void items() throws IOException {
            if (json.currentToken() != JsonToken.START_ARRAY) {
                json.skipChildren();
                faults.add("/items", "must be an array of strings");
                return;
            }
            int count = 0;
            while (!faults.full() && json.nextToken() != JsonToken.END_ARRAY) {
                item(count++);
            }
            if (count == 0) {
                faults.add("/items", "is empty; a job must have 1 to " + MAX_ITEMS + " lines");
            } else if (count > MAX_ITEMS) {
                faults.add("/items", "has " + count + " lines; the maximum is " + MAX_ITEMS + "; create several jobs");
            }
        }

        private void item(int index) throws IOException {
            String fault = null;
            if (json.currentToken() != JsonToken.VALUE_STRING) {
                json.skipChildren();
                fault = "must be a string";
            } else {
                // avoids creating a string of a long text
                String item = json.getTextLength() > MAX_ITEM_BYTES ? null : json.getText();
                int bytes = item == null ? Integer.MAX_VALUE : RequestFaultList.utf8Length(item);
                if (bytes < 0) {
                    fault = UNPAIRED_SURROGATE;
                } else if (item == null || bytes > MAX_ITEM_BYTES) {
                    fault = "must have at most " + MAX_ITEM_BYTES + " bytes in UTF-8";
                } else if (index < MAX_ITEMS) {
                    items.add(item);
                }
            }
            if (fault != null) {
                faults.add("/items/" + index, fault);
            }
        }

        private void options() throws IOException {
            if (json.currentToken() != JsonToken.START_OBJECT) {
                json.skipChildren();
                faults.add("/options", "must be an object");
                return;
            }
            while (!faults.full() && json.nextToken() != JsonToken.END_OBJECT) {
                String name = json.currentName();
                json.nextToken();
                if (options.containsKey(name)) {
                    json.skipChildren();
                    faults.add(RequestFaultList.pointer("/options", name), "must not be repeated");
                } else if (options.size() <= MAX_FAULTS) {
                    options.put(name, OptionValueReader.read(json));
                } else {
                    // no module has so many options
                    json.skipChildren();
                }
            }
        }

        /** Rejects text that cannot be stored as UTF-8. */
        private void text(String pointer, @Nullable Object value) {
            if (value instanceof String text && RequestFaultList.utf8Length(text) < 0) {
                faults.add(pointer, UNPAIRED_SURROGATE);
            } else if (value instanceof List<?> list) {
                for (int i = 0; i < list.size(); i++) {
                    text(pointer + '/' + i, list.get(i));
                }
            }
        }

        private Outcome validate() {
            if (!hasModule) {
                faults.add("/module", "is missing");
            }
            if (!hasItems) {
                faults.add("/items", "is missing");
            }
            Object fresh = options.remove(ModuleDescription.FRESH.name());
            if (fresh != null && !(fresh instanceof Boolean)) {
                faults.add("/options/" + ModuleDescription.FRESH.name(), "must be true or false");
            }
            Options.Parsed parsed =
                    module == null ? new Options.Parsed(null, List.of()) : Options.parseTyped(module, options);
            for (Options.Fault fault : parsed.faults()) {
                faults.add(RequestFaultList.pointer("/options", fault.name()), fault.detail());
                options.remove(fault.name());
            }
            options.forEach((name, value) -> text(RequestFaultList.pointer("/options", name), value));
            if (!faults.list().isEmpty() || module == null || parsed.options() == null) {
                return new Invalid(faults.list());
            }
            return new Valid(
                    module.module(), List.copyOf(items), parsed.options().given(), Boolean.TRUE.equals(fresh));
        }
    }
}
