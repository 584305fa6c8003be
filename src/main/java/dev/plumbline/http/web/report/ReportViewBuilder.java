package dev.plumbline.http.web.report;

import dev.plumbline.bus.Message;
import dev.plumbline.check.FieldDescription;
import dev.plumbline.check.FindingCode;
import dev.plumbline.check.Level;
import dev.plumbline.check.ModuleDescription;
import dev.plumbline.check.ResultJson;
import dev.plumbline.check.UnicodeName;
import dev.plumbline.http.web.layout.DisplayText;
import dev.plumbline.http.web.layout.Links;
import dev.plumbline.http.web.layout.ValueFormat;
import dev.plumbline.http.web.tool.CheckForm;
import dev.plumbline.instant.InstantOutcome;
import dev.plumbline.result.RenderedResult;
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
final class ReportViewBuilder {
    private final String publicUrl;
    private final Clock clock;

    ReportViewBuilder(String publicUrl, Clock clock) {
        this.publicUrl = publicUrl;
        this.clock = clock;
    }

    /**
     * @param asked the options that were asked for and are not the defaults, by name
     */
    ReportView write(ModuleDescription module, InstantOutcome.Completed answered, Map<String, String> asked) {
        JsonObject result = new JsonObject(answered.result().cachedBody());
        String target = result.getString("target");
        JsonObject fields = result.getJsonObject("fields");
        boolean incomplete = result.getValue("error") != null;
        List<ReportView.FindingView> findings = findings(module, result.getJsonArray("findings"));
        Map<String, String> levels = new HashMap<>();
        for (int i = findings.size() - 1; i >= 0; i--) {
            if (findings.get(i).field() != null) {
                levels.put(findings.get(i).field(), findings.get(i).level());
            }
        }
        List<ReportView.Fact> facts = new ArrayList<>();
        List<ReportView.Fact> parts = new ArrayList<>();
        Map<FieldDescription, Double> times = new LinkedHashMap<>();
        for (FieldDescription field : module.fields()) {
            Object raw = fields.getValue(field.name());
            if (raw == null && incomplete) {
                continue; // what an exchange that did not complete could not tell
            }
            if (raw instanceof Number ms && field.name().endsWith("_ms")) {
                times.put(field, ms.doubleValue());
            }
            ReportView.Fact fact = new ReportView.Fact(
                    field.name(),
                    field.title(),
                    field.description(),
                    FieldValueView.ended(FieldValueView.of(field, raw), fields),
                    levels.get(field.name()));
            (large(raw) ? parts : facts).add(fact);
        }
        if (times.size() > 1) {
            facts.removeIf(
                    fact -> times.keySet().stream().anyMatch(f -> f.name().equals(fact.name())));
        }
        String json = Links.instant(module.module(), target, asked);
        return new ReportView(
                module.title(),
                UnicodeName.of(target),
                result.getString("verdict"),
                word(result.getString("verdict")),
                DisplayText.of(sentence(result, findings)),
                findings,
                facts,
                times.size() > 1 ? FieldValueView.waterfall(times) : null,
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

    private static String sentence(JsonObject result, List<ReportView.FindingView> findings) {
        JsonObject error = result.getJsonObject("error");
        if (error != null) {
            return error.getString("message");
        }
        List<ReportView.FindingView> grave = findings.stream()
                .filter(finding -> !finding.level().equals("info"))
                .toList();
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

    private static List<ReportView.FindingView> findings(ModuleDescription module, JsonArray all) {
        List<ReportView.FindingView> remarks = new ArrayList<>();
        for (int i = 0; i < all.size(); i++) {
            JsonObject finding = all.getJsonObject(i);
            String field = finding.getString("field");
            String code = finding.getString("code");
            remarks.add(new ReportView.FindingView(
                    finding.getString("level"),
                    code,
                    DisplayText.of(finding.getString("message", "")),
                    DisplayText.of(finding.getString("action", "")),
                    field,
                    field == null ? null : title(module, field),
                    finding.getString("reference"),
                    referenceUrl(module, code)));
        }
        remarks.sort(Comparator.comparing(remark -> Level.of(remark.level()), Level.GRAVEST_FIRST));
        return remarks;
    }

    private static @Nullable String referenceUrl(ModuleDescription module, String code) {
        return module.findings().stream()
                .filter(finding -> finding.code().equals(code))
                .map(FindingCode::referenceUrl)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    private static String title(ModuleDescription module, String name) {
        return module.fields().stream()
                .filter(field -> field.name().equals(name))
                .map(FieldDescription::title)
                .findFirst()
                .orElse(name);
    }

    private static List<String> cut(ModuleDescription module, @Nullable JsonArray names) {
        List<String> titles = new ArrayList<>();
        if (names != null) {
            names.forEach(name -> titles.add(title(module, String.valueOf(name).replace("fields.", ""))));
        }
        return titles;
    }

    private ReportView.Age age(InstantOutcome.Completed answered, long tookMs) {
        RenderedResult answer = answered.result();
        Instant now = clock.instant();
        Duration left = Duration.between(now, answer.expiresAt());
        return new ReportView.Age(
                ValueFormat.moment(ResultJson.time(answer.checkedAt())),
                ValueFormat.moment(ResultJson.time(answer.expiresAt())),
                since(Duration.between(answer.checkedAt(), now)),
                left.isNegative() || left.isZero() ? null : left(left),
                answered.fresh(),
                quota(answered.quota()),
                ValueFormat.milliseconds(tookMs));
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
