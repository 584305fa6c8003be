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
import dev.plumbline.http.api.BufferInputStream;
import dev.plumbline.http.problem.Problem;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads a job from the body of a request, in one walk over it, and names everything that is wrong.
 * It accepts what openapi.json and the tool's {@code options_schema} accept; the router's own
 * validation takes some thirty times as long and names one fault.
 */
final class JobRequestReader {
    static final int MOST_ITEMS = 500;
    static final int MOST_ITEM_BYTES = 2048;
    static final int MOST_FAULTS = 100;

    private static final int MOST_NESTED = 64;
    private static final int MOST_NUMBER_CHARACTERS = 100;
    private static final int MOST_NAME_CHARACTERS = 8 * 1024 * 1024;

    private static final String HALF_A_PAIR = "holds half a surrogate pair, which UTF-8 cannot say";

    /** As the three bytes that it is in UTF-8. */
    private static final int BYTE_ORDER_MARK = (byte) 0xef << 16 | 0xbbbf;

    private static final JsonFactory JSON = JsonFactory.builder()
            // a table of names would be filled by whoever sends many
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(MOST_NESTED)
                    .maxNumberLength(MOST_NUMBER_CHARACTERS)
                    .maxNameLength(MOST_NAME_CHARACTERS)
                    .build())
            .build();

    private final ModuleCatalogue modules;

    JobRequestReader(ModuleCatalogue modules) {
        this.modules = modules;
    }

    /** What became of a body. */
    sealed interface Outcome {}

    record Read(JobRequest request) implements Outcome {}

    /** It is no JSON; the detail says where it breaks. */
    record Malformed(String detail) implements Outcome {}

    /**
     * It is JSON, and no job.
     *
     * @param faults at least one, at most 100
     */
    record Invalid(List<Problem.Fault> faults) implements Outcome {}

    Outcome read(Buffer body) {
        int from = body.length() >= 3 && body.getMedium(0) == BYTE_ORDER_MARK ? 3 : 0;
        Reader text = new InputStreamReader(
                // a decoder of its own refuses what is malformed; by name it would be passed over
                new BufferInputStream(body, from), StandardCharsets.UTF_8.newDecoder());
        try (JsonParser json = JSON.createParser(text)) {
            return new Walk(json).walk();
        } catch (StreamConstraintsException bomb) {
            return new Malformed("The body is nested deeper than "
                    + MOST_NESTED
                    + " levels, or holds a number of more than "
                    + MOST_NUMBER_CHARACTERS
                    + " digits.");
        } catch (JsonProcessingException broken) {
            JsonLocation where = broken.getLocation();
            return new Malformed(
                    where == null
                            ? "The body is not JSON."
                            : "The body is not JSON: it breaks at line "
                                    + where.getLineNr()
                                    + ", column "
                                    + where.getColumnNr()
                                    + ".");
        } catch (CharacterCodingException notUtf8) {
            return new Malformed("The body is not UTF-8.");
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }

    /** One walk over one body. */
    private final class Walk {
        private final JsonParser json;
        private final RequestFaultList faults = new RequestFaultList(MOST_FAULTS);
        private boolean moduleGiven;
        private boolean itemsGiven;
        private boolean optionsGiven;
        private @Nullable ModuleDescription module;
        private final List<String> items = new ArrayList<>();
        private final Map<String, @Nullable Object> options = new TreeMap<>();

        Walk(JsonParser json) {
            this.json = json;
        }

        Outcome walk() throws IOException {
            JsonToken first = json.nextToken();
            if (first == null) {
                return new Malformed("The body is empty; it must be a JSON object with module and items.");
            }
            if (first != JsonToken.START_OBJECT) {
                json.skipChildren();
                endOfBody();
                faults.add(
                        "",
                        "must be an object with module (a name from /api/v1/tools), items (a list of 1 to "
                                + MOST_ITEMS
                                + " strings) and, if wanted, options (an object), not "
                                + inWords(first));
                return new Invalid(faults.list());
            }
            while (!faults.full() && json.nextToken() != JsonToken.END_OBJECT) {
                member(json.currentName());
            }
            if (faults.full()) {
                return new Invalid(faults.list());
            }
            endOfBody();
            return evaluate();
        }

        private static String inWords(JsonToken value) {
            return switch (value) {
                case START_ARRAY -> "a list";
                case VALUE_STRING -> "a string";
                case VALUE_NULL -> "null";
                case VALUE_TRUE -> "true";
                case VALUE_FALSE -> "false";
                default -> "a number";
            };
        }

        private void endOfBody() throws IOException {
            if (json.nextToken() != null) {
                throw new JsonParseException(json, "something follows", json.currentTokenLocation());
            }
        }

        private void member(String name) throws IOException {
            json.nextToken();
            switch (name) {
                case "module" -> {
                    if (first(moduleGiven, "/module")) {
                        module();
                    }
                    moduleGiven = true;
                }
                case "items" -> {
                    if (first(itemsGiven, "/items")) {
                        items();
                    }
                    itemsGiven = true;
                }
                case "options" -> {
                    if (first(optionsGiven, "/options")) {
                        options();
                    }
                    optionsGiven = true;
                }
                default -> {
                    json.skipChildren();
                    faults.add(
                            RequestFaultList.pointer("", name),
                            "is no member of a job; those are module, items and options");
                }
            }
        }

        private boolean first(boolean given, String pointer) throws IOException {
            if (given) {
                json.skipChildren();
                faults.add(pointer, "is given twice");
            }
            return !given;
        }

        private void module() throws IOException {
            if (json.currentToken() != JsonToken.VALUE_STRING) {
                json.skipChildren();
                faults.add("/module", "must be a string: the identifier of a module");
                return;
            }
            String name = json.getText();
            ModuleDefinition<?> found = modules.find(name);
            if (found == null) {
                faults.add(
                        "/module",
                        "there is no module '" + RequestFaultList.shown(name) + "'; /api/v1/tools lists them all");
            } else {
                module = found.description();
            }
        }

        private void items() throws IOException {
            if (json.currentToken() != JsonToken.START_ARRAY) {
                json.skipChildren();
                faults.add("/items", "must be a list of strings");
                return;
            }
            int count = 0;
            while (!faults.full() && json.nextToken() != JsonToken.END_ARRAY) {
                item(count++);
            }
            if (count == 0) {
                faults.add("/items", "is empty; a job has 1 to " + MOST_ITEMS + " lines");
            } else if (count > MOST_ITEMS) {
                faults.add(
                        "/items",
                        "has " + count + " lines and may have " + MOST_ITEMS + "; send the others as more jobs");
            }
        }

        private void item(int index) throws IOException {
            String fault = null;
            if (json.currentToken() != JsonToken.VALUE_STRING) {
                json.skipChildren();
                fault = "must be a string";
            } else {
                // a text that is far too long is not even made a string of
                String item = json.getTextLength() > MOST_ITEM_BYTES ? null : json.getText();
                int bytes = item == null ? Integer.MAX_VALUE : RequestFaultList.utf8Length(item);
                if (bytes < 0) {
                    fault = HALF_A_PAIR;
                } else if (item == null || bytes > MOST_ITEM_BYTES) {
                    fault = "has more than the " + MOST_ITEM_BYTES + " bytes in UTF-8 that a line may have";
                } else if (index < MOST_ITEMS) {
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
                    faults.add(RequestFaultList.pointer("/options", name), "is given twice");
                } else if (options.size() <= MOST_FAULTS) {
                    options.put(name, OptionValueReader.read(json));
                } else {
                    // no module has so many: enough are known to be wrong
                    json.skipChildren();
                }
            }
        }

        /** Text is stored as UTF-8. */
        private void text(String pointer, @Nullable Object value) {
            if (value instanceof String text && RequestFaultList.utf8Length(text) < 0) {
                faults.add(pointer, HALF_A_PAIR);
            } else if (value instanceof List<?> list) {
                for (int i = 0; i < list.size(); i++) {
                    text(pointer + '/' + i, list.get(i));
                }
            }
        }

        private Outcome evaluate() {
            if (!moduleGiven) {
                faults.add("/module", "is missing");
            }
            if (!itemsGiven) {
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
            return new Read(new JobRequest(
                    module.module(), List.copyOf(items), parsed.options().given(), Boolean.TRUE.equals(fresh)));
        }
    }
}
