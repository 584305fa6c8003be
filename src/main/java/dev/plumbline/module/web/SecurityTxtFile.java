package dev.plumbline.module.web;

import com.google.common.base.Ascii;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A parsed security.txt (RFC 9116). Parsing takes linear time. The signature is recognized and not verified. The file
 * does not state which key is trusted.
 *
 * @param contacts in order of preference
 * @param expires the first valid Expires field; null if there is none
 * @param expiresValues the values of all Expires fields
 * @param unknownFields the names of fields that clients ignore
 * @param errors at most {@link #MAX_ERRORS}, each with its line
 */
record SecurityTxtFile(
        List<String> contacts,
        List<String> canonicals,
        @Nullable Instant expires,
        List<String> expiresValues,
        boolean signed,
        Set<String> unknownFields,
        List<String> errors) {
    static final int MAX_ERRORS = 50;

    private static final int MAX_SHOWN = 60;
    private static final Pattern LINE_END = Pattern.compile("\r\n|\n|\r");
    private static final Pattern BARE_CARRIAGE_RETURN = Pattern.compile("\r(?!\n)");
    private static final Pattern FIELD_NAME = Pattern.compile("[\\x21-\\x39\\x3b-\\x7e]+");
    private static final Pattern URI =
            Pattern.compile("[A-Za-z][A-Za-z0-9+.-]*:[A-Za-z0-9._~:/?#\\[\\]@!$&'()*+,;=%-]+");
    private static final Pattern DATE_TIME = Pattern.compile(
            "[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})");
    private static final Pattern LANGUAGES =
            Pattern.compile("[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*+([ \\t]*,[ \\t]*[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*+)*+");

    /** @param truncated whether the text is the start of a larger file; an incomplete last line is ignored */
    static SecurityTxtFile parse(String text, boolean truncated) {
        return new Parser().parse(truncated ? text.substring(0, text.lastIndexOf('\n') + 1) : text, truncated);
    }

    /** The parts of a message with a cleartext signature (RFC 9580 section 7). */
    private enum Part {
        BEFORE,
        HEADERS,
        BODY,
        SIGNATURE,
        AFTER
    }

    private static final class Parser {
        private static final String BEGIN_MESSAGE = "-----BEGIN PGP SIGNED MESSAGE-----";
        private static final String BEGIN_SIGNATURE = "-----BEGIN PGP SIGNATURE-----";
        private static final String END_SIGNATURE = "-----END PGP SIGNATURE-----";

        private final List<String> contacts = new ArrayList<>();
        private final List<String> canonicals = new ArrayList<>();
        private final List<String> expiresValues = new ArrayList<>();
        private final Set<String> unknownFields = new TreeSet<>();
        private final Set<String> names = new HashSet<>();
        private final List<String> errors = new ArrayList<>();
        private @Nullable Instant expires;
        private Part part = Part.BEFORE;
        private boolean outside;
        private int number;

        SecurityTxtFile parse(String text, boolean truncated) {
            boolean mark = text.startsWith("\ufeff");
            if (mark) {
                errors.add("The file starts with a byte order mark.");
            }
            if (BARE_CARRIAGE_RETURN.matcher(text).find()) {
                errors.add("A line ends with a carriage return without a line feed.");
            }
            if (!text.isEmpty() && !text.endsWith("\n") && !text.endsWith("\r")) {
                errors.add("The last line does not end with a line feed.");
            }
            for (String line : LINE_END.split(mark ? text.substring(1) : text, -1)) {
                number++;
                line(line.stripTrailing());
            }
            if (part != Part.BEFORE && part != Part.AFTER && !truncated) {
                errors.add("The OpenPGP signature is incomplete.");
            }
            return new SecurityTxtFile(
                    List.copyOf(contacts),
                    List.copyOf(canonicals),
                    expires,
                    List.copyOf(expiresValues),
                    part != Part.BEFORE,
                    unknownFields,
                    List.copyOf(errors));
        }

        private void line(String line) {
            switch (part) {
                case BEFORE -> {
                    if (line.equals(BEGIN_MESSAGE)) {
                        part = Part.HEADERS;
                        if (outside) {
                            error("text before the signed message is not signed");
                        }
                    } else {
                        outside |= !line.isEmpty();
                        fieldOrComment(line);
                    }
                }
                case HEADERS -> {
                    if (line.isEmpty()) {
                        part = Part.BODY;
                    } else if (!line.startsWith("Hash: ")) {
                        error("an empty line must follow the Hash header of the signature");
                    }
                }
                case BODY -> {
                    if (line.equals(BEGIN_SIGNATURE)) {
                        part = Part.SIGNATURE;
                    } else if (line.startsWith("-") && !line.startsWith("- ")) {
                        error("a line that starts with a dash must be escaped with \"- \" in a signed message");
                    } else {
                        fieldOrComment(line.startsWith("- ") ? line.substring(2) : line);
                    }
                }
                case SIGNATURE -> {
                    if (line.equals(END_SIGNATURE)) {
                        part = Part.AFTER;
                    } else if (line.startsWith("-----")) {
                        error("the signature is malformed");
                    }
                }
                case AFTER -> {
                    if (!line.isEmpty()) {
                        error("text after the signature is ignored");
                    }
                }
            }
        }

        private void fieldOrComment(String line) {
            if (line.isEmpty() || line.startsWith("#")) {
                return;
            }
            int colon = line.indexOf(':');
            if (colon < 0) {
                error("\"" + shown(line) + "\" does not contain a colon");
                return;
            }
            String name = line.substring(0, colon);
            String value = line.substring(colon + 1).strip();
            if (!FIELD_NAME.matcher(name).matches()) {
                error("the field name \"" + shown(name) + "\" is not valid");
            } else if (value.isEmpty()) {
                error("the field " + shown(name) + " is empty");
            } else {
                if (line.charAt(colon + 1) != ' ') {
                    error("a space must follow the colon");
                }
                field(name, value);
            }
        }

        private void field(String name, String value) {
            String key = name.toLowerCase(Locale.ROOT);
            switch (key) {
                case "contact" -> {
                    if (isValidUri(name, value)) {
                        contacts.add(value);
                    }
                }
                case "canonical" -> {
                    if (isValidUri(name, value)) {
                        canonicals.add(value);
                    }
                }
                case "acknowledgments", "csaf", "encryption", "hiring", "policy" -> isValidUri(name, value);
                case "expires" -> {
                    Instant time = dateTime(value);
                    expiresValues.add(value);
                    expires = expires == null ? time : expires;
                }
                case "preferred-languages" -> {
                    if (names.contains(key)) {
                        error("the field Preferred-Languages is repeated");
                    }
                    if (!LANGUAGES.matcher(value).matches()) {
                        error("\"" + shown(value) + "\" is not a list of language tags");
                    }
                }
                default -> unknownFields.add(shown(name));
            }
            names.add(key);
        }

        private boolean isValidUri(String name, String value) {
            if (!URI.matcher(value).matches()) {
                error("the " + name + " \"" + shown(value) + "\" is not a URI"
                        + (value.indexOf('@') > 0 ? "; an e-mail address starts with mailto:" : ""));
                return false;
            }
            if (value.regionMatches(true, 0, "http:", 0, 5)) {
                error("the " + name + " " + shown(value) + " must use https://");
            }
            return true;
        }

        private static @Nullable Instant dateTime(String value) {
            String text = value.toUpperCase(Locale.ROOT);
            try {
                return DATE_TIME.matcher(text).matches()
                        ? OffsetDateTime.parse(text).toInstant()
                        : null;
            } catch (DateTimeException invalid) {
                return null;
            }
        }

        private void error(String reason) {
            if (errors.size() < MAX_ERRORS) {
                errors.add("Line " + number + ": " + reason + ".");
            }
        }

        private static String shown(String text) {
            return Ascii.truncate(text, MAX_SHOWN, "…");
        }
    }
}
