package dev.plumbline.module.mail.record;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The tags of a TXT record in the form {@code name=value; name=value} (RFC 6376 section 3.2; the records of MTA-STS,
 * TLSRPT and BIMI have the same form). Names are case-sensitive. Parsing takes linear time.
 *
 * @param tags the values by name in order, without surrounding whitespace; the first of equal names
 * @param errors at most {@link #MAX_ERRORS} sentences
 */
public record TagList(Map<String, String> tags, List<String> errors) {
    public static final int MAX_ERRORS = 20;

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.-]{0,31}");
    private static final int MAX_QUOTED = 60;

    public static TagList parse(String text) {
        Map<String, String> tags = new LinkedHashMap<>();
        List<String> errors = new ArrayList<>();
        for (String part : text.split(";")) {
            String tag = part.strip();
            int equals = tag.indexOf('=');
            String name = tag.substring(0, Math.max(equals, 0)).strip();
            if (NAME.matcher(name).matches()) {
                if (tags.putIfAbsent(name, tag.substring(equals + 1).strip()) != null) {
                    add(errors, "The tag " + name + " occurs more than once.");
                }
            } else if (!tag.isEmpty()) {
                add(errors, "The part " + quote(tag) + " is not a tag of the form name=value.");
            }
        }
        return new TagList(Collections.unmodifiableMap(tags), List.copyOf(errors));
    }

    private static void add(List<String> errors, String error) {
        if (errors.size() < MAX_ERRORS) {
            errors.add(error);
        }
    }

    /** The value of a tag; null if it does not exist. */
    @Nullable
    public String get(String name) {
        return tags.get(name);
    }

    /** The names of tags other than these. */
    public List<String> except(String... known) {
        List<String> names = List.of(known);
        return tags.keySet().stream().filter(name -> !names.contains(name)).toList();
    }

    /** A text in quotation marks, shortened. */
    public static String quote(String text) {
        return '"' + (text.length() <= MAX_QUOTED ? text : text.substring(0, MAX_QUOTED) + "…") + '"';
    }
}
