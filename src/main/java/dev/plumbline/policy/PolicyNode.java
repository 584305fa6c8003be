package dev.plumbline.policy;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLParser;
import dev.plumbline.target.ClosestName;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A value of a YAML file, with its line for errors.
 *
 * @param line from 1
 * @param value String, Integer, Long, Double, Boolean, a list of nodes, a map of nodes by name, or null
 * @param text the text of a scalar as in the file; empty for other values
 */
record PolicyNode(String file, int line, @Nullable Object value, String text) {
    private static final int MAX_DEPTH = 20;
    private static final Pattern PROBLEM = Pattern.compile("([^^]+?) in 'reader', line (\\d+), column \\d+:");
    private static final YAMLFactory FACTORY = YAMLFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    /** @throws InvalidPolicyException if the text is not YAML, or contains several documents or aliases */
    static PolicyNode parse(String file, String yaml) throws InvalidPolicyException {
        try (YAMLParser parser = FACTORY.createParser(yaml)) {
            if (parser.nextToken() == null) {
                throw new InvalidPolicyException(file, 1, "The file is empty.");
            }
            PolicyNode root = read(file, parser, 0);
            if (parser.nextToken() != null) {
                throw new InvalidPolicyException(file, line(parser), "The file contains more than one document.");
            }
            return root;
        } catch (JsonProcessingException invalid) {
            throw invalidYaml(file, invalid);
        } catch (IOException impossible) {
            throw new InvalidPolicyException(file, 1, "The file cannot be read.");
        }
    }

    /** The position of the parser is that of the last token, not that of the problem, which is in its message. */
    private static InvalidPolicyException invalidYaml(String file, JsonProcessingException invalid) {
        int line = invalid.getLocation() == null
                ? 1
                : Math.max(1, invalid.getLocation().getLineNr());
        String problem = invalid.getOriginalMessage().replaceAll("\\s+", " ").strip();
        for (Matcher position = PROBLEM.matcher(problem); position.find(); ) {
            line = Integer.parseInt(position.group(2));
            problem = position.group(1).strip();
        }
        return new InvalidPolicyException(file, line, "The file is not valid YAML: " + problem + ".");
    }

    private static int line(JsonParser parser) {
        return parser.currentTokenLocation().getLineNr();
    }

    private static PolicyNode read(String file, YAMLParser parser, int depth)
            throws IOException, InvalidPolicyException {
        int line = line(parser);
        if (depth > MAX_DEPTH) {
            throw new InvalidPolicyException(file, line, "The values are nested too deeply.");
        }
        if (parser.isCurrentAlias()) {
            throw new InvalidPolicyException(file, line, "Aliases are not supported.");
        }
        Object value =
                switch (parser.currentToken()) {
                    case START_OBJECT -> readMembers(file, parser, depth);
                    case START_ARRAY -> readItems(file, parser, depth);
                    case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> parser.getNumberValue();
                    case VALUE_TRUE, VALUE_FALSE -> parser.getBooleanValue();
                    case VALUE_NULL -> null;
                    default -> parser.getText();
                };
        boolean scalar = value != null && !(value instanceof Map) && !(value instanceof List);
        return new PolicyNode(file, line, value, scalar ? parser.getText() : "");
    }

    private static Map<String, PolicyNode> readMembers(String file, YAMLParser parser, int depth)
            throws IOException, InvalidPolicyException {
        Map<String, PolicyNode> members = new LinkedHashMap<>();
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String name = parser.currentName();
            parser.nextToken();
            members.put(name, read(file, parser, depth + 1));
        }
        return members;
    }

    private static List<PolicyNode> readItems(String file, YAMLParser parser, int depth)
            throws IOException, InvalidPolicyException {
        List<PolicyNode> items = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            items.add(read(file, parser, depth + 1));
        }
        return items;
    }

    InvalidPolicyException invalid(String problem) {
        return new InvalidPolicyException(file, line, problem);
    }

    /**
     * The members of an object.
     *
     * @param name of the object, for errors
     * @param allowed the names of the members; empty for any
     */
    @SuppressWarnings("unchecked")
    Map<String, PolicyNode> members(String name, Set<String> allowed) throws InvalidPolicyException {
        if (!(value instanceof Map)) {
            throw invalid("'" + name + "' is not an object.");
        }
        Map<String, PolicyNode> members = (Map<String, PolicyNode>) value;
        for (Map.Entry<String, PolicyNode> member : members.entrySet()) {
            if (!allowed.isEmpty() && !allowed.contains(member.getKey())) {
                throw member.getValue()
                        .invalid("'" + name + "' does not have a member '" + member.getKey() + "'."
                                + ClosestName.suggestion(member.getKey(), allowed));
            }
        }
        return members;
    }

    /** The items of a list. */
    @SuppressWarnings("unchecked")
    List<PolicyNode> items(String name) throws InvalidPolicyException {
        if (!(value instanceof List)) {
            throw invalid("'" + name + "' is not a list.");
        }
        return (List<PolicyNode>) value;
    }

    /** The text of a scalar of at most this number of characters. */
    String text(String name, int maxLength) throws InvalidPolicyException {
        if (value == null || value instanceof Map || value instanceof List || text.isBlank()) {
            throw invalid("'" + name + "' is not a text.");
        }
        String stripped = text.strip();
        if (stripped.length() > maxLength) {
            throw invalid(
                    "'" + name + "' has " + stripped.length() + " characters; at most " + maxLength + " are allowed.");
        }
        return stripped;
    }

    /** The text of a scalar of this form. */
    String text(String name, Pattern pattern, String form) throws InvalidPolicyException {
        String found = text(name, 1_000);
        if (!pattern.matcher(found).matches()) {
            throw invalid("'" + name + "' is '" + found + "', not " + form + ".");
        }
        return found;
    }

    /** The value in the types of the fields of results. */
    @Nullable
    Object plain() {
        if (value instanceof Map<?, ?> members) {
            Map<String, @Nullable Object> plain = new LinkedHashMap<>();
            members.forEach((name, member) -> plain.put((String) name, ((PolicyNode) member).plain()));
            return plain;
        }
        if (value instanceof List<?> items) {
            List<@Nullable Object> plain = new ArrayList<>();
            items.forEach(item -> plain.add(((PolicyNode) item).plain()));
            return plain;
        }
        return value;
    }
}
