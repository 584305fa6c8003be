package dev.plumbline.probe.http;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The headers of a response in the order in which they came.
 *
 * @param lines names lower-cased; values are the bytes read as ISO-8859-1, without controls
 */
public record ResponseHeaders(List<HttpHeader> lines) {
    public static final ResponseHeaders NONE = new ResponseHeaders(List.of());

    public ResponseHeaders {
        lines = List.copyOf(lines);
    }

    /** The first header of this name, or null. */
    public @Nullable String first(String name) {
        for (HttpHeader line : lines) {
            if (line.name().equals(name)) {
                return line.value();
            }
        }
        return null;
    }

    /** The first header of this name as people read it ({@link HttpHeader#text()}), or null. */
    public @Nullable String firstText(String name) {
        for (HttpHeader line : lines) {
            if (line.name().equals(name)) {
                return line.text();
            }
        }
        return null;
    }

    /** Every value of this name. */
    public List<String> all(String name) {
        return lines.stream()
                .filter(line -> line.name().equals(name))
                .map(HttpHeader::value)
                .toList();
    }

    /** All values of this name, joined with commas (RFC 9110 section 5.3), or null. */
    public @Nullable String joined(String name) {
        return has(name) ? String.join(", ", all(name)) : null;
    }

    public boolean has(String name) {
        return first(name) != null;
    }
}
