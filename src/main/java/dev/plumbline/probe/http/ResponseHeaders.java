package dev.plumbline.probe.http;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The headers of a response, in order.
 *
 * @param lines names in lower case; values as in {@link HttpHeader}
 */
public record ResponseHeaders(List<HttpHeader> lines) {
    public static final ResponseHeaders NONE = new ResponseHeaders(List.of());

    public ResponseHeaders {
        lines = List.copyOf(lines);
    }

    /** The value of the first header with this name; null if there is none. */
    public @Nullable String first(String name) {
        HttpHeader line = find(name);
        return line == null ? null : line.value();
    }

    /** The first header with this name for display, see {@link HttpHeader#text()}; null if there is none. */
    public @Nullable String firstText(String name) {
        HttpHeader line = find(name);
        return line == null ? null : line.text();
    }

    private @Nullable HttpHeader find(String name) {
        for (HttpHeader line : lines) {
            if (line.name().equals(name)) {
                return line;
            }
        }
        return null;
    }

    public List<String> all(String name) {
        return lines.stream()
                .filter(line -> line.name().equals(name))
                .map(HttpHeader::value)
                .toList();
    }

    /** The values of all headers with this name, joined with commas (RFC 9110 section 5.3); null if there are none. */
    public @Nullable String joined(String name) {
        return has(name) ? String.join(", ", all(name)) : null;
    }

    /** The elements of a list (RFC 9110 section 5.6.1) in lower case, without empty ones; empty if it is not sent. */
    public List<String> elements(String name) {
        String value = joined(name);
        return value == null
                ? List.of()
                : HeaderParser.split(value.toLowerCase(Locale.ROOT), ',').stream()
                        .filter(element -> !element.isEmpty())
                        .toList();
    }

    /** The size of all names and values in characters. */
    int size() {
        int size = 0;
        for (HttpHeader line : lines) {
            size += line.name().length() + line.value().length();
        }
        return size;
    }

    public boolean has(String name) {
        return first(name) != null;
    }
}
