package dev.plumbline.http.web;

import dev.plumbline.check.Field;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Numbers and times as people read them. What a number counts is told by its field's name. */
final class Units {
  private static final DateTimeFormatter MOMENT =
      DateTimeFormatter.ofPattern("d MMM yyyy, HH:mm 'UTC'", Locale.ENGLISH)
          .withZone(ZoneOffset.UTC);
  private static final List<String> SIZES = List.of("kB", "MB", "GB", "TB");

  private Units() {}

  /** The unit of a field or an option, or null. */
  static @Nullable String unit(String name, String description) {
    if (name.endsWith("_ms")) {
      return "ms";
    }
    if (name.endsWith("_seconds") || name.equals("ttl") || name.startsWith("ttl_")) {
      return "s";
    }
    if (name.endsWith("_days") || name.startsWith("days_")) {
      return "days";
    }
    if (name.endsWith("_percent")) {
      return "%";
    }
    if (name.endsWith("_bits")) {
      return "bits";
    }
    return name.equals("bytes") || name.endsWith("_bytes") || description.contains("in bytes")
        ? "bytes"
        : null;
  }

  static Value.Number number(Field field, Number value) {
    String plain = plain(value);
    String unit = unit(field.name(), field.description());
    if (unit == null) {
      return new Value.Number(field.name().endsWith("_count") ? grouped(value) : plain, null);
    }
    String exact = plain + ' ' + unit;
    String shown =
        switch (unit) {
          case "ms" -> milliseconds(value.doubleValue());
          case "s" -> seconds(value.longValue());
          case "bytes" -> bytes(value.longValue());
          case "days" -> grouped(value) + (value.longValue() == 1 ? " day" : " days");
          case "%" -> plain + " %";
          default -> exact;
        };
    return new Value.Number(shown, shown.equals(exact) ? null : exact);
  }

  static Value.Moment moment(String iso) {
    try {
      return new Value.Moment(iso, MOMENT.format(Instant.parse(iso)));
    } catch (DateTimeParseException odd) {
      return new Value.Moment(iso, iso);
    }
  }

  static String milliseconds(double ms) {
    return ms < 1000
        ? plain(ms < 10 ? Math.round(ms * 10) / 10.0 : (double) Math.round(ms)) + " ms"
        : String.format(Locale.ROOT, "%.2f s", ms / 1000);
  }

  private static String seconds(long seconds) {
    long abs = Math.abs(seconds);
    if (abs >= 86_400 && abs % 86_400 == 0) {
      return seconds / 86_400 + (abs == 86_400 ? " day" : " days");
    }
    if (abs >= 3600 && abs % 3600 == 0) {
      return seconds / 3600 + " h";
    }
    return abs >= 60 && abs % 60 == 0 ? seconds / 60 + " min" : seconds + " s";
  }

  private static String bytes(long bytes) {
    if (Math.abs(bytes) < 1000) {
      return bytes + (bytes == 1 ? " byte" : " bytes");
    }
    double size = bytes;
    int step = -1;
    while (Math.abs(size) >= 999.95 && step < SIZES.size() - 1) {
      size /= 1000;
      step++;
    }
    return String.format(Locale.ROOT, "%.1f %s", size, SIZES.get(step));
  }

  private static String grouped(Number value) {
    return value instanceof Integer || value instanceof Long
        ? String.format(Locale.ROOT, "%,d", value.longValue())
        : plain(value);
  }

  private static String plain(Number value) {
    double number = value.doubleValue();
    return number == Math.rint(number) && Math.abs(number) < 1e15
        ? Long.toString(value.longValue())
        : value.toString();
  }
}
