package dev.plumbline.http.web;

import dev.plumbline.check.Field;
import dev.plumbline.check.FieldType;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * How the value of a field is best shown, by its description alone: its type, and what its members
 * are called.
 */
final class FieldValues {
  private static final Pattern CODE = Pattern.compile("[0-9A-Fa-f:]{16,}|[^\\p{L}\\p{N}\\s]+");

  private FieldValues() {}

  static Value of(Field field, @Nullable Object raw) {
    if (raw == null) {
      return new Value.Missing();
    }
    if (field.type() == FieldType.ARRAY && raw instanceof JsonArray items) {
      return array(field, items);
    }
    if (field.type() == FieldType.OBJECT && raw instanceof JsonObject object) {
      return field.members().isEmpty()
          ? FreeValues.members(object)
          : members(field.members(), object);
    }
    return scalar(field, field.type(), raw);
  }

  private static Value scalar(Field field, FieldType type, Object raw) {
    if (raw instanceof Boolean yes) {
      return new Value.Flag(yes);
    }
    if (raw instanceof Number number) {
      return Units.number(field.name(), field.description(), number);
    }
    if (raw instanceof String text) {
      if (type == FieldType.TIME) {
        return time(text);
      }
      return field.values().contains(text) ? new Value.Word(text) : words(text);
    }
    return FreeValues.of(field.name(), raw);
  }

  private static Value time(String text) {
    try {
      Instant.parse(text);
      return Units.moment(text);
    } catch (DateTimeParseException odd) {
      return words(text);
    }
  }

  /** Text from elsewhere, as a link where it is the address of something. */
  static Value words(String raw) {
    String href = Links.outside(raw);
    return href == null
        ? new Value.Words(Text.of(raw), CODE.matcher(raw).matches())
        : new Value.Link(Text.of(raw), href);
  }

  private static Value.Members members(List<Field> fields, JsonObject object) {
    return new Value.Members(fields.stream().map(field -> named(field, object)).toList());
  }

  private static Value.Named named(Field field, JsonObject object) {
    return new Value.Named(
        Text.of(field.title()), field.description(), of(field, object.getValue(field.name())));
  }

  private static Value array(Field field, JsonArray items) {
    if (field.items() == FieldType.OBJECT && !field.members().isEmpty()) {
      List<JsonObject> rows =
          items.stream().filter(JsonObject.class::isInstance).map(JsonObject.class::cast).toList();
      Set<String> names = field.members().stream().map(Field::name).collect(Collectors.toSet());
      if (rows.isEmpty()) {
        return new Value.Items(List.of());
      }
      if (names.containsAll(Set.of("subject", "issuer"))) {
        return chain(field, rows);
      }
      if (names.containsAll(Set.of("url", "status"))) {
        return path(field, rows);
      }
      return grid(field, rows);
    }
    return new Value.Items(
        items.stream()
            .map(item -> item == null ? new Value.Missing() : scalar(field, field.items(), item))
            .toList());
  }

  private static Value grid(Field field, List<JsonObject> rows) {
    List<List<Value>> cells = new ArrayList<>();
    for (JsonObject row : rows) {
      cells.add(
          field.members().stream().map(member -> of(member, row.getValue(member.name()))).toList());
    }
    return new Value.Grid(
        field.members().stream().map(member -> Text.of(member.title())).toList(), cells);
  }

  private static Value chain(Field field, List<JsonObject> rows) {
    List<Value.Certificate> links = new ArrayList<>();
    for (JsonObject row : rows) {
      links.add(
          new Value.Certificate(
              Text.of(text(row, "subject")),
              Text.of(text(row, "issuer")),
              rest(field, row, Set.of("subject", "issuer"))));
    }
    return new Value.Chain(links);
  }

  private static Value path(Field field, List<JsonObject> rows) {
    double whole = rows.stream().mapToDouble(FieldValues::time).sum();
    double before = 0;
    List<Value.Hop> hops = new ArrayList<>();
    for (JsonObject row : rows) {
      double time = time(row);
      Value.Bar bar =
          whole <= 0 || !row.containsKey("time_ms")
              ? null
              : new Value.Bar(
                  "Time", null, Units.milliseconds(time), 100 * before / whole, 100 * time / whole);
      before += time;
      hops.add(
          new Value.Hop(
              words(text(row, "url")),
              text(row, "status"),
              rest(field, row, Set.of("url", "status", "time_ms")),
              bar));
    }
    return new Value.Path(hops);
  }

  /**
   * A path with the step that it ends in, where a field of its own tells that.
   *
   * @param fields of the whole result
   */
  static Value ended(Value value, JsonObject fields) {
    Object status = fields.getValue(fields.containsKey("status") ? "status" : "final_status");
    if (!(value instanceof Value.Path path)
        || !(fields.getValue("final_url") instanceof String url)
        || status == null) {
      return value;
    }
    List<Value.Hop> hops = new ArrayList<>(path.hops());
    hops.add(new Value.Hop(words(url), status.toString(), List.of(), null));
    return new Value.Path(hops);
  }

  private static double time(JsonObject row) {
    return row.getValue("time_ms") instanceof Number ms ? Math.max(0, ms.doubleValue()) : 0;
  }

  private static List<Value.Named> rest(Field field, JsonObject row, Set<String> shown) {
    return field.members().stream()
        .filter(member -> !shown.contains(member.name()))
        .map(member -> named(member, row))
        .toList();
  }

  private static String text(JsonObject row, String name) {
    Object value = row.getValue(name);
    return value == null ? "" : value.toString();
  }

  /**
   * Lengths of time as bars. They stand one after the other when the last of them is their sum, and
   * all begin at once otherwise.
   *
   * @param times by field, in order
   */
  static Value.Waterfall waterfall(Map<Field, Double> times) {
    double longest = times.values().stream().mapToDouble(ms -> ms).max().orElse(0);
    double scale = longest <= 0 ? 1 : longest;
    double sum = times.values().stream().mapToDouble(ms -> ms).sum() - longest;
    boolean inTurn = times.size() > 2 && sum <= longest * 1.02;
    double before = 0;
    List<Value.Bar> bars = new ArrayList<>();
    for (Map.Entry<Field, Double> time : times.entrySet()) {
      double ms = time.getValue();
      boolean whole = ms == longest;
      bars.add(
          new Value.Bar(
              time.getKey().title(),
              time.getKey().description(),
              Units.milliseconds(ms),
              inTurn && !whole ? 100 * before / scale : 0,
              100 * ms / scale));
      before += whole ? 0 : ms;
    }
    return new Value.Waterfall(bars);
  }
}
