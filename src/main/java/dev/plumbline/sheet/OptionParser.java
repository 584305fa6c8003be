package dev.plumbline.sheet;

import dev.plumbline.target.InvalidTargetException;
import dev.plumbline.target.IpAddressText;
import dev.plumbline.target.PrintableText;
import dev.plumbline.target.TargetParser;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Parses the value of one option. */
final class OptionParser {
    private static final Pattern INTEGER = Pattern.compile("-?[0-9]{1,18}");

    /** The option whose value is an IP address. */
    private static final String CLIENT_IP = "client_ip";

    private static final int MAX_SHOWN = 64;

    private static final Object INVALID = new Object();

    private OptionParser() {}

    /**
     * @throws IllegalArgumentException if the value is not valid; the message is the end of a sentence that begins with
     *     the name of the option
     */
    static Object read(OptionDescription option, @Nullable Object raw) {
        return switch (option.type()) {
            case BOOLEAN -> readBoolean(raw);
            case INTEGER -> readInteger(option, raw);
            case STRING -> readString(option, raw);
            case ARRAY -> readArray(option, raw);
        };
    }

    /** As {@link #read}, but a string is accepted for string options only. */
    static Object readTyped(OptionDescription option, @Nullable Object raw) {
        boolean stringOption = option.type() == OptionDescription.Type.STRING;
        return read(option, raw instanceof String && !stringOption ? INVALID : raw);
    }

    private static Object readBoolean(@Nullable Object raw) {
        if (raw instanceof Boolean) {
            return raw;
        }
        if ("true".equals(raw) || "false".equals(raw)) {
            return Boolean.valueOf((String) raw);
        }
        throw new IllegalArgumentException("must be true or false");
    }

    private static Object readInteger(OptionDescription option, @Nullable Object raw) {
        Long value = null;
        if (raw instanceof Integer || raw instanceof Long) {
            value = ((Number) raw).longValue();
        } else if (raw instanceof String text && INTEGER.matcher(text).matches()) {
            value = Long.valueOf(text);
        }
        if (value == null || value < option.min() || value > option.max()) {
            throw new IllegalArgumentException("must be an integer from " + option.min() + " to " + option.max());
        }
        return value;
    }

    private static Object readString(OptionDescription option, @Nullable Object raw) {
        if (!(raw instanceof String text)) {
            throw new IllegalArgumentException("must be a string");
        }
        if (!option.values().isEmpty()) {
            return option.values().stream()
                    .filter(text::equalsIgnoreCase)
                    .findFirst()
                    .orElseThrow(
                            () -> new IllegalArgumentException("must be one of " + String.join(", ", option.values())));
        }
        if (text.length() > option.maxLength()) {
            throw new IllegalArgumentException("must be at most " + option.maxLength() + " characters long");
        }
        if (option.pattern() != null && !option.pattern().matcher(text).matches()) {
            // for values declared in upper case, such as DNS record types
            String upperCase = text.toUpperCase(Locale.ROOT);
            if (option.pattern().matcher(upperCase).matches()) {
                return upperCase;
            }
            throw option.name().equals(ModuleDescription.CONNECT_TO)
                    ? notAHost(text)
                    : new IllegalArgumentException("has an invalid format: " + option.description());
        }
        return switch (option.name()) {
            case ModuleDescription.CONNECT_TO -> canonicalHost(text);
            case CLIENT_IP -> canonicalAddress(text);
            default -> text;
        };
    }

    private static String canonicalHost(String text) {
        InetAddress address = IpAddressText.parse(text);
        if (address != null) {
            return IpAddressText.format(address);
        }
        try {
            return TargetParser.domainName(text).text();
        } catch (InvalidTargetException invalid) {
            throw notAHost(text);
        }
    }

    private static IllegalArgumentException notAHost(String text) {
        return new IllegalArgumentException("must be an IP address (IPv6 without brackets) or a hostname, not '"
                + PrintableText.shorten(PrintableText.sanitize(text), MAX_SHOWN) + "'");
    }

    private static String canonicalAddress(String text) {
        InetAddress address = IpAddressText.parse(text);
        if (address == null) {
            throw new IllegalArgumentException("must be an IPv4 or IPv6 address");
        }
        return IpAddressText.format(address);
    }

    private static Object readArray(OptionDescription option, @Nullable Object raw) {
        List<?> items;
        if (raw instanceof List<?> list) {
            items = list;
        } else if (raw instanceof String text) {
            items = text.isEmpty() ? List.of() : List.of(text.split(",", -1));
        } else {
            throw new IllegalArgumentException("must be a list of strings");
        }
        if (items.size() > option.maxItems()) {
            throw new IllegalArgumentException("must have at most " + option.maxItems() + " items");
        }
        List<String> values = new ArrayList<>(items.size());
        for (Object item : items) {
            values.add((String) readString(option, item));
        }
        return List.copyOf(values);
    }
}
