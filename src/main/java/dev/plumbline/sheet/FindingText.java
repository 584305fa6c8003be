package dev.plumbline.sheet;

import dev.plumbline.result.QuantityText;
import dev.plumbline.target.IpAddressText;
import dev.plumbline.target.PrintableText;
import dev.plumbline.target.Target;
import java.net.InetAddress;
import java.time.Instant;
import java.time.LocalDate;
import java.util.Collection;
import java.util.List;
import java.util.Locale;

/** Formats values for the sentence of a finding. Text from targets is truncated and made printable. */
public final class FindingText {
    private static final int MAX_CHARACTERS = 200;
    private static final int MAX_ITEMS = 5;

    private FindingText() {}

    public static String of(Object value) {
        if (value instanceof Collection<?> items) {
            return list(List.copyOf(items));
        }
        if (value instanceof SheetText text) {
            return text.text();
        }
        if (value instanceof Enum<?> constant) {
            return constant.name().toLowerCase(Locale.ROOT).replace('_', ' ');
        }
        if (value instanceof InetAddress address) {
            return IpAddressText.format(address);
        }
        if (value instanceof Target target) {
            return text(target.text());
        }
        if (value instanceof Instant time) {
            return QuantityText.time(time);
        }
        if (value instanceof LocalDate date) {
            return QuantityText.date(date);
        }
        if (value instanceof Double number) {
            double rounded = Math.round(number * 10) / 10.0;
            return rounded == Math.rint(rounded)
                    ? String.valueOf((long) rounded)
                    : String.format(Locale.ROOT, "%.1f", rounded);
        }
        return text(value.toString());
    }

    /** Joins values with commas, and sentences with spaces. */
    private static String list(List<?> items) {
        List<String> texts =
                items.stream().limit(MAX_ITEMS).map(FindingText::of).toList();
        boolean sentences = texts.stream().allMatch(text -> text.endsWith(".") && text.indexOf(' ') > 0);
        String shown = String.join(sentences ? " " : ", ", texts);
        int more = items.size() - MAX_ITEMS;
        return more > 0 ? shown + String.format(Locale.ROOT, " and %,d more", more) : shown;
    }

    private static String text(String value) {
        String line = value.codePoints()
                .map(c -> PrintableText.isPrintable(c) ? c : ' ')
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString()
                .strip()
                .replace('`', '\'');
        return line.codePointCount(0, line.length()) <= MAX_CHARACTERS
                ? line
                : line.substring(0, line.offsetByCodePoints(0, MAX_CHARACTERS)) + "…";
    }
}
