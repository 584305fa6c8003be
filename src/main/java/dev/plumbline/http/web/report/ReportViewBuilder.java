package dev.plumbline.http.web.report;

import com.google.common.collect.Iterables;
import dev.plumbline.bus.Message;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.http.api.policy.PolicyParameters;
import dev.plumbline.http.api.policy.ResultEvaluation;
import dev.plumbline.http.web.layout.DisplayFormat;
import dev.plumbline.http.web.layout.DisplayText;
import dev.plumbline.http.web.layout.DisplayValue;
import dev.plumbline.http.web.layout.Links;
import dev.plumbline.http.web.layout.ShellCommand;
import dev.plumbline.http.web.tool.CheckForm;
import dev.plumbline.http.web.tool.CheckTabs;
import dev.plumbline.http.web.tool.ToolMatcher;
import dev.plumbline.instant.InstantOutcome;
import dev.plumbline.result.ErrorAction;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.Level;
import dev.plumbline.result.LimitWait;
import dev.plumbline.result.QuantityText;
import dev.plumbline.result.RenderedResult;
import dev.plumbline.result.ResultJson;
import dev.plumbline.sheet.FieldDescription;
import dev.plumbline.sheet.FindingCode;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.target.UnicodeName;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Builds reports from results. */
public final class ReportViewBuilder {
    private static final JsonObject NO_FIELDS = new JsonObject();
    private static final JsonArray NONE = new JsonArray();

    /** Shorter waits are not shown. */
    private static final long MIN_WAIT_MS = 100;

    private final String publicUrl;
    private final ToolMatcher matcher;
    private final CompositeViewBuilder composites;
    private final Clock clock;
    private final boolean limited;

    /** @param limited whether fresh checks have a quota */
    public ReportViewBuilder(String publicUrl, ModuleCatalogue modules, Clock clock, boolean limited) {
        this.matcher = new ToolMatcher(modules);
        this.composites = new CompositeViewBuilder(modules);
        this.publicUrl = publicUrl;
        this.clock = clock;
        this.limited = limited;
    }

    /**
     * @param result the result of the check, with the policy and expectations applied
     * @param options the options of the request that differ from their defaults
     * @param evaluation null without a policy and expectations
     * @param pro whether the user can create jobs
     */
    ReportView build(
            ModuleDescription module,
            InstantOutcome.Completed answered,
            JsonObject result,
            Map<String, String> options,
            @Nullable ResultEvaluation evaluation,
            boolean pro) {
        String target = result.getString("target");
        return build(
                module,
                target,
                result,
                age(answered, result.getLong("duration_ms")),
                options,
                evaluation,
                new ReportView.Recheck(pro, ShellCommand.check(module.module(), target, options)));
    }

    /**
     * Builds the report of a line of a job.
     *
     * @param input the line; displayed instead of an invalid target
     * @param result as stored, or with the policy and expectations applied
     * @param options the options of the job that instant checks support
     * @param evaluation null without a policy and expectations
     */
    public ReportView build(
            ModuleDescription module,
            String input,
            JsonObject result,
            Map<String, String> options,
            @Nullable ResultEvaluation evaluation) {
        String target = result.getString("target");
        return build(
                module,
                target == null || target.isEmpty() ? input : target,
                result,
                storedAge(result),
                options,
                evaluation,
                null);
    }

    private ReportView build(
            ModuleDescription module,
            String target,
            JsonObject result,
            ReportView.Age age,
            Map<String, String> options,
            @Nullable ResultEvaluation evaluation,
            ReportView.@Nullable Recheck recheck) {
        JsonObject error = result.getJsonObject("error");
        List<ReportView.FindingView> findings = findings(module, result.getJsonArray("findings", NONE), evaluation);
        JsonObject fields = result.getJsonObject("fields", NO_FIELDS);
        CompositeView composite = composites.of(module, fields);
        String causes = composite == null ? null : composite.summary();
        Map<String, String> levels = new HashMap<>();
        findings.forEach(finding -> levels.putIfAbsent(finding.field(), finding.level()));
        List<String> truncated = new ArrayList<>();
        result.getJsonArray("truncated", NONE)
                .forEach(name -> truncated.add(title(module, name.toString().replace("fields.", ""))));
        PolicyParameters policy = evaluation == null ? PolicyParameters.NONE : evaluation.requested();
        String parameters = Links.query(Iterables.concat(options.entrySet(), policy.parameters()));
        String apiPath = Links.instant(module.module(), target, Map.of()) + parameters;
        return new ReportView(
                UnicodeName.of(target),
                result.getString("rules"),
                result.getString("verdict"),
                composite == null ? headline(module, result) : null,
                policy(result.getJsonObject("policy"), policy.expectations().size()),
                DisplayText.markdown(
                        error != null ? error.getString("message") : causes == null ? summary(findings) : causes),
                error == null
                                || findings.stream()
                                        .anyMatch(finding -> !finding.level().equals("info"))
                        ? ""
                        : ErrorAction.of(ErrorCode.of(error.getString("code"))),
                composite,
                composite == null ? findings : CompositeViewBuilder.withoutPartFindings(findings),
                ReportFields.of(module, result, levels),
                truncated,
                age,
                Links.report(module.module(), target, Map.of()) + parameters,
                apiPath,
                "curl '" + publicUrl + apiPath + "'",
                CheckForm.of(module, target, options),
                CheckTabs.of(matcher.all(target), module.module()),
                recheck);
    }

    private static @Nullable String headline(ModuleDescription module, JsonObject result) {
        List<String> findings = result.getJsonArray("findings", NONE).stream()
                .map(finding -> ((JsonObject) finding).getString("code"))
                .toList();
        boolean completed = result.getValue("error") == null;
        return module.headline().of(result.getJsonObject("fields", NO_FIELDS).getMap(), findings, completed);
    }

    /** Builds the row of a part whose composite check is in progress. */
    static CompositeView.Part part(ModuleDescription module, JsonObject result) {
        JsonObject error = result.getJsonObject("error");
        String headline = headline(module, result);
        String found =
                headline == null ? summary(findings(module, result.getJsonArray("findings", NONE), null)) : headline;
        return new CompositeView.Part(
                module.title(),
                result.getString("verdict"),
                error == null ? found : error.getString("message"),
                Links.report(module.module(), result.getString("target"), Map.of()),
                false,
                false);
    }

    private static String summary(List<ReportView.FindingView> findings) {
        List<ReportView.FindingView> problems = findings.stream()
                .filter(finding -> !finding.level().equals("info"))
                .toList();
        if (problems.isEmpty()) {
            return "No problems found.";
        }
        return problems.get(0).message() + more(problems.size() - 1);
    }

    /** A sentence about the number of other problems; empty if there are none. */
    static String more(int problems) {
        return problems == 0 ? "" : problems == 1 ? " 1 more problem." : " " + problems + " more problems.";
    }

    private static ReportView.@Nullable PolicyView policy(@Nullable JsonObject policy, int expectations) {
        return policy == null
                ? null
                : new ReportView.PolicyView(
                        policy.getString("name"),
                        policy.getString("version"),
                        policy.getInteger("met_count"),
                        policy.getInteger("rule_count"),
                        expectations);
    }

    private static String title(String code, @Nullable FindingCode declared, @Nullable ResultEvaluation evaluation) {
        String added = declared != null || evaluation == null ? null : evaluation.title(code);
        return declared != null ? declared.title() : added == null ? code : added;
    }

    private static List<ReportView.FindingView> findings(
            ModuleDescription module, JsonArray findings, @Nullable ResultEvaluation evaluation) {
        return findings.stream()
                .map(JsonObject.class::cast)
                .map(finding -> {
                    String field = finding.getString("field");
                    String code = finding.getString("code");
                    FindingCode declared = module.finding(code);
                    return new ReportView.FindingView(
                            finding.getString("level"),
                            code,
                            title(code, declared, evaluation),
                            finding.getString("message", ""),
                            finding.getString("action", ""),
                            field,
                            field == null ? null : title(module, field),
                            finding.getString("reference"),
                            declared == null ? null : declared.referenceUrl());
                })
                .sorted(Comparator.comparing(finding -> Level.of(finding.level()), Level.MOST_SEVERE_FIRST))
                .toList();
    }

    private static String title(ModuleDescription module, String name) {
        return module.fields().stream()
                .filter(field -> field.name().equals(name))
                .map(FieldDescription::title)
                .findFirst()
                .orElse(name);
    }

    private ReportView.Age age(InstantOutcome.Completed answered, long durationMs) {
        RenderedResult result = answered.result();
        Instant now = clock.instant();
        Duration remaining = Duration.between(now, result.expiresAt());
        return new ReportView.Age(
                DisplayFormat.timestamp(ResultJson.time(result.checkedAt())),
                DisplayFormat.timestamp(ResultJson.time(result.expiresAt())),
                DisplayFormat.wholeMinute(result.expiresAt()),
                DisplayFormat.rounded(Duration.between(result.checkedAt(), now)) + " ago",
                remaining.isNegative() || remaining.isZero() ? null : DisplayFormat.rounded(remaining.plusSeconds(59)),
                answered.fresh(),
                limited && !answered.fresh() ? "Does not count against your quota." : quotaSentence(answered.quota()),
                QuantityText.milliseconds((double) durationMs),
                waitSentence(answered.limitWait()));
    }

    private ReportView.Age storedAge(JsonObject result) {
        DisplayValue.Timestamp checkedAt = DisplayFormat.timestamp(result.getString("checked_at"));
        Duration age = Duration.between(Instant.parse(result.getString("checked_at")), clock.instant());
        Long waited = result.getLong("waited_ms");
        return new ReportView.Age(
                checkedAt,
                null,
                null,
                DisplayFormat.rounded(age) + " ago",
                null,
                !result.getBoolean("cached"),
                "",
                QuantityText.milliseconds(result.getLong("duration_ms")),
                waitSentence(waited == null ? null : new LimitWait(waited, null)));
    }

    /** The wait because of limits per target; empty if the check did not wait noticeably. */
    static String waitSentence(@Nullable LimitWait wait) {
        return wait == null || wait.millis() < MIN_WAIT_MS
                ? ""
                : "Waited %s because of %s."
                        .formatted(
                                QuantityText.milliseconds((double) wait.millis()),
                                wait.limit() == null ? "a limit per target" : "the limit of " + wait.limit());
    }

    private static String quotaSentence(Message.@Nullable Granted quota) {
        return quota == null ? "" : quotaSentence(quota.limit(), quota.remaining());
    }

    /**
     * The remaining quota of fresh checks; empty if it is unlimited.
     *
     * @param limit 0 for no limit
     */
    static String quotaSentence(int limit, int remaining) {
        return limit == 0 ? "" : remaining + " of " + limit + " fresh checks remaining this hour.";
    }
}
