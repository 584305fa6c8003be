package dev.plumbline.config;

import dev.plumbline.check.Cidr;
import dev.plumbline.check.IpAddressText;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Typed access to flat settings ({@code http.port} → text or list of text) that gathers every fault
 * instead of stopping at the first.
 */
final class Settings {
    private static final Pattern DURATION = Pattern.compile("(\\d{1,9})(ms|s|m|h|d)");
    private static final Pattern NAME =
            Pattern.compile("\\.?(?=.{1,253}$)[A-Za-z_][A-Za-z0-9_-]*(\\.[A-Za-z0-9_-]+)*\\.?");
    private static final Pattern LABEL = Pattern.compile("[a-z0-9][a-z0-9-]{0,31}");
    private static final Pattern PORTS = Pattern.compile("([0-9]{1,5})(?:-([0-9]{1,5}))?");

    private final Map<String, Object> values;
    private final List<String> faults = new ArrayList<>();

    Settings(Map<String, Object> values) {
        this.values = values;
    }

    List<String> faults() {
        return faults;
    }

    void fault(String key, String detail) {
        faults.add(key + ": " + detail);
    }

    String text(String key) {
        Object value = values.get(key);
        if (value instanceof String text) {
            return text.strip();
        }
        fault(key, "must be a single value");
        return "";
    }

    @Nullable
    String optionalText(String key) {
        String text = text(key);
        return text.isEmpty() ? null : text;
    }

    String oneOf(String key, String... allowed) {
        String text = text(key);
        if (!List.of(allowed).contains(text)) {
            fault(key, "'" + text + "' is none of " + String.join(", ", allowed));
        }
        return text;
    }

    int integer(String key, int min, int max) {
        String text = text(key);
        try {
            int value = Integer.parseInt(text);
            if (value >= min && value <= max) {
                return value;
            }
        } catch (NumberFormatException notANumber) {
            // reported below, as any value out of range
        }
        fault(key, "'" + text + "' is no whole number from " + min + " to " + max);
        return min;
    }

    Duration duration(String key) {
        String text = text(key);
        Matcher matcher = DURATION.matcher(text);
        if (!matcher.matches()) {
            fault(key, "'" + text + "' is no duration such as 500ms, 30s, 10m, 2h or 30d");
            return Duration.ZERO;
        }
        long amount = Long.parseLong(matcher.group(1));
        return switch (matcher.group(2)) {
            case "ms" -> Duration.ofMillis(amount);
            case "s" -> Duration.ofSeconds(amount);
            case "m" -> Duration.ofMinutes(amount);
            case "h" -> Duration.ofHours(amount);
            default -> Duration.ofDays(amount);
        };
    }

    Duration duration(String key, Duration min, Duration max) {
        int before = faults.size();
        Duration value = duration(key);
        if (faults.size() == before && (value.compareTo(min) < 0 || value.compareTo(max) > 0)) {
            fault(key, "must be from " + min.toMillis() + "ms to " + max.toMillis() + "ms");
        }
        return value;
    }

    List<String> list(String key) {
        Object value = values.get(key);
        Stream<?> items = value instanceof List<?> list
                ? list.stream()
                : Stream.of(String.valueOf(value).split(",", -1));
        return items.map(item -> String.valueOf(item).strip())
                .filter(s -> !s.isEmpty())
                .toList();
    }

    /** Addresses and networks in CIDR notation. */
    List<String> cidrs(String key) {
        List<String> list = list(key);
        list.stream()
                .filter(item -> !isCidr(item))
                .forEach(item -> fault(key, "'" + item + "' is no address or CIDR such as 10.0.0.0/8"));
        return list;
    }

    private static boolean isCidr(String text) {
        return Cidr.tryParse(text) != null;
    }

    /** Domain names, with or without a leading dot. */
    List<String> names(String key) {
        List<String> list = list(key);
        list.stream()
                .filter(item -> !NAME.matcher(item).matches())
                .forEach(item -> fault(key, "'" + item + "' is no name such as corp.example"));
        return list;
    }

    /** Domain names, addresses and networks. */
    List<String> namesOrCidrs(String key) {
        List<String> list = list(key);
        list.stream()
                .filter(item -> !isCidr(item) && !NAME.matcher(item).matches())
                .forEach(item -> fault(key, "'" + item + "' is no name, address or CIDR"));
        return list;
    }

    /** What can be listened on: a name or an address. */
    String host(String key) {
        String text = text(key);
        if (IpAddressText.parse(text) == null && !NAME.matcher(text).matches()) {
            fault(key, "'" + text + "' is no host to listen on, such as 127.0.0.1 or 0.0.0.0");
        }
        return text;
    }

    /** Ports, ranges of ports, or "*". */
    List<String> ports(String key) {
        List<String> list = list(key);
        for (String item : list) {
            Matcher range = PORTS.matcher(item);
            boolean fine = range.matches()
                    && isPort(range.group(1))
                    && (range.group(2) == null
                            || (isPort(range.group(2))
                                    && Integer.parseInt(range.group(1)) <= Integer.parseInt(range.group(2))));
            if (!item.equals("*") && !fine) {
                fault(key, "'" + item + "' is no port from 1 to 65535, no range such as 8000-8100, not *");
            }
        }
        return list;
    }

    /** {@code host:port} with an address as host. */
    List<String> sockets(String key) {
        List<String> list = list(key);
        for (String item : list) {
            if (!isSocket(item)) {
                fault(key, "'" + item + "' is no address:port such as 127.0.0.1:53");
            }
        }
        return list;
    }

    /** {@code name=host:port}, in order; a name that stands several times has several. */
    Map<String, List<String>> namedSockets(String key) {
        Map<String, List<String>> named = new LinkedHashMap<>();
        for (String item : list(key)) {
            int equals = item.indexOf('=');
            String name = equals < 0 ? "" : item.substring(0, equals);
            String socket = item.substring(equals + 1);
            if (!LABEL.matcher(name).matches() || name.equals("default") || !isSocket(socket)) {
                fault(key, "'" + item + "' is no name=address:port such as public=192.0.2.53:53");
            } else {
                named.computeIfAbsent(name, first -> new ArrayList<>()).add(socket);
            }
        }
        return named;
    }

    private static boolean isSocket(String text) {
        int colon = text.lastIndexOf(':');
        String host = colon < 0 ? text : text.substring(0, colon).replaceAll("[\\[\\]]", "");
        return colon >= 0 && isPort(text.substring(colon + 1)) && IpAddressText.parse(host) != null;
    }

    private static boolean isPort(String text) {
        return text.matches("[0-9]{1,5}") && Integer.parseInt(text) >= 1 && Integer.parseInt(text) <= 65_535;
    }

    Path path(String key) {
        try {
            return Path.of(text(key));
        } catch (InvalidPathException invalid) {
            fault(key, "is no path");
            return Path.of("");
        }
    }

    Path folder(String key) {
        if (text(key).isEmpty()) {
            fault(key, "must name a folder");
        }
        return path(key);
    }

    @Nullable
    Path readableFile(String key) {
        if (text(key).isEmpty()) {
            return null;
        }
        Path path = path(key);
        if (!Files.isReadable(path) || Files.isDirectory(path)) {
            fault(key, "'" + path + "' is no file that can be read");
        }
        return path;
    }
}
