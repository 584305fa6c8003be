package dev.plumbline.http.web;

import dev.plumbline.bus.Message;
import dev.plumbline.check.Description;
import dev.plumbline.check.Field;
import dev.plumbline.check.FindingCode;
import dev.plumbline.check.Level;
import dev.plumbline.check.ReadableName;
import dev.plumbline.check.ResultJson;
import dev.plumbline.instant.Answer;
import dev.plumbline.instant.InstantOutcome;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Makes reports of results. */
final class ReportWriter {
  private final String publicUrl;
  private final Clock clock;

  ReportWriter(String publicUrl, Clock clock) {
    this.publicUrl = publicUrl;
    this.clock = clock;
  }

  /**
   * @param asked the options that were asked for and are not the defaults, by name
   */
  Report write(Description module, InstantOutcome.Answered answered, Map<String, String> asked) {
    JsonObject result = new JsonObject(answered.answer().cachedBody());
    String target = result.getString("target");
    JsonObject fields = result.getJsonObject("fields");
    boolean incomplete = result.getValue("error") != null;
    List<Report.Remark> findings = findings(module, result.getJsonArray("findings"));
    Map<String, String> levels = new HashMap<>();
    for (int i = findings.size() - 1; i >= 0; i--) {
      if (findings.get(i).field() != null) {
        levels.put(findings.get(i).field(), findings.get(i).level());
      }
    }
    List<Report.Fact> facts = new ArrayList<>();
    List<Report.Fact> parts = new ArrayList<>();
    Map<Field, Double> times = new LinkedHashMap<>();
    for (Field field : module.fields()) {
      Object raw = fields.getValue(field.name());
      if (raw == null && incomplete) {
        continue; // what an exchange that did not complete could not tell
      }
      if (raw instanceof Number ms && field.name().endsWith("_ms")) {
        times.put(field, ms.doubleValue());
      }
      Report.Fact fact =
          new Report.Fact(
              field.name(),
              field.title(),
              field.description(),
              FieldValues.ended(FieldValues.of(field, raw), fields),
              levels.get(field.name()));
      (large(raw) ? parts : facts).add(fact);
    }
    if (times.size() > 1) {
      facts.removeIf(fact -> times.keySet().stream().anyMatch(f -> f.name().equals(fact.name())));
    }
    String json = Links.instant(module.module(), target, asked);
    return new Report(
        module.title(),
        ReadableName.of(target),
        result.getString("verdict"),
        word(result.getString("verdict")),
        Text.of(sentence(result, findings)),
        findings,
        facts,
        times.size() > 1 ? FieldValues.waterfall(times) : null,
        parts,
        cut(module, result.getJsonArray("truncated")),
        age(answered, result.getLong("duration_ms")),
        Links.report(module.module(), target, asked),
        json,
        "curl '" + publicUrl + json + "'",
        CheckForm.of(module, target, asked));
  }

  /** Whether a value wants room of its own. */
  private static boolean large(@Nullable Object raw) {
    return raw instanceof JsonArray items
        ? !items.isEmpty()
        : raw instanceof JsonObject object && !object.isEmpty();
  }

  private static String word(String verdict) {
    return switch (verdict) {
      case "pass" -> "Pass";
      case "warn" -> "Warning";
      case "fail" -> "Fail";
      default -> "No verdict";
    };
  }

  private static String sentence(JsonObject result, List<Report.Remark> findings) {
    JsonObject error = result.getJsonObject("error");
    if (error != null) {
      return error.getString("message");
    }
    List<Report.Remark> grave =
        findings.stream().filter(finding -> !finding.level().equals("info")).toList();
    if (grave.isEmpty()) {
      return "Everything that was looked at is in order.";
    }
    StringBuilder first = new StringBuilder();
    JsonArray all = result.getJsonArray("findings");
    for (int i = 0; i < all.size() && first.isEmpty(); i++) {
      JsonObject finding = all.getJsonObject(i);
      if (finding.getString("code").equals(grave.get(0).code())) {
        first.append(finding.getString("message"));
      }
    }
    int more = grave.size() - 1;
    if (more > 0) {
      first.append(more == 1 ? " One more finding" : " " + more + " more findings");
      first.append(more == 1 ? " needs" : " need").append(" attention.");
    }
    return first.toString();
  }

  private static List<Report.Remark> findings(Description module, JsonArray all) {
    List<Report.Remark> remarks = new ArrayList<>();
    for (int i = 0; i < all.size(); i++) {
      JsonObject finding = all.getJsonObject(i);
      String field = finding.getString("field");
      String code = finding.getString("code");
      remarks.add(
          new Report.Remark(
              finding.getString("level"),
              code,
              Text.of(finding.getString("message", "")),
              Text.of(finding.getString("action", "")),
              field,
              field == null ? null : title(module, field),
              finding.getString("reference"),
              referenceUrl(module, code)));
    }
    remarks.sort(Comparator.comparing(remark -> Level.of(remark.level()), Level.GRAVEST_FIRST));
    return remarks;
  }

  private static @Nullable String referenceUrl(Description module, String code) {
    return module.findings().stream()
        .filter(finding -> finding.code().equals(code))
        .map(FindingCode::referenceUrl)
        .filter(Objects::nonNull)
        .findFirst()
        .orElse(null);
  }

  private static String title(Description module, String name) {
    return module.fields().stream()
        .filter(field -> field.name().equals(name))
        .map(Field::title)
        .findFirst()
        .orElse(name);
  }

  private static List<String> cut(Description module, @Nullable JsonArray names) {
    List<String> titles = new ArrayList<>();
    if (names != null) {
      names.forEach(name -> titles.add(title(module, String.valueOf(name).replace("fields.", ""))));
    }
    return titles;
  }

  private Report.Age age(InstantOutcome.Answered answered, long tookMs) {
    Answer answer = answered.answer();
    Instant now = clock.instant();
    Duration left = Duration.between(now, answer.expiresAt());
    return new Report.Age(
        Units.moment(ResultJson.time(answer.checkedAt())),
        Units.moment(ResultJson.time(answer.expiresAt())),
        since(Duration.between(answer.checkedAt(), now)),
        left.isNegative() || left.isZero() ? null : left(left),
        answered.fresh(),
        quota(answered.quota()),
        Units.milliseconds(tookMs));
  }

  private static @Nullable String quota(Message.@Nullable Granted quota) {
    return quota == null || quota.limit() == 0 ? null : quota.remaining() + " of " + quota.limit();
  }

  /** What is left of fresh checks, in a sentence; empty where that is not known. */
  static String left(Message.@Nullable Granted quota) {
    String left = quota(quota);
    return left == null ? "" : "You have " + left + " fresh checks left in this hour.";
  }

  private static String since(Duration age) {
    long minutes = age.toMinutes();
    if (minutes < 1) {
      return "less than a minute ago";
    }
    return minutes == 1 ? "1 minute ago" : minutes + " minutes ago";
  }

  private static String left(Duration left) {
    long minutes = left.toMinutes();
    if (minutes < 1) {
      return "less than a minute";
    }
    return minutes == 1 ? "1 minute" : minutes + " minutes";
  }
}
