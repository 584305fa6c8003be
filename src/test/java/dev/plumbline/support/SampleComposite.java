package dev.plumbline.support;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.PartResult;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.Consequence;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.Evaluation;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Level;
import dev.plumbline.sheet.FieldDescription;
import dev.plumbline.sheet.FieldType;
import dev.plumbline.sheet.FindingCode;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.InputType;
import dev.plumbline.target.Target;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A composite module with a quick part, a part that completes when the test releases its target, and a part that fails.
 * The targets of tests are distinct. Those that begin with {@code low} have lower grades.
 */
public final class SampleComposite implements ModuleDefinition<List<CheckResult>> {
    public static final String NAME = "sample-overview";

    private static final Map<String, Promise<Void>> GATES = new ConcurrentHashMap<>();

    private static volatile int rulesVersion = 1;

    private static final FindingCode PART_FAILED = new FindingCode(
            "part_fail",
            "Failed check",
            Level.FAIL,
            "parts",
            "A check fails.",
            "Fix the problem.",
            null,
            0,
            Consequence.RECOMMENDED,
            List.of());
    private static final FindingCode FAILURE = new FindingCode(
            "sample_fail",
            "Sample failure",
            Level.FAIL,
            null,
            "The sample fails.",
            "Set `max-age=31536000`.",
            "RFC 2606 section 2",
            0,
            Consequence.RECOMMENDED,
            List.of());
    private static final ModuleDescription DESCRIPTION = ModuleDescriptionBuilder.of(
                    NAME, "Sample overview", InputType.DOMAIN)
            .summary("Runs sample checks.")
            .category("web")
            .area("web", "Web")
            .area("dns", "DNS")
            .fields(
                    Descriptions.integer("score", "Score", "A score."),
                    Descriptions.string("grade", "Grade", "A grade."),
                    Descriptions.array("fix_first", "Fix first", "Causes.", FieldType.OBJECT),
                    Descriptions.array("causes", "Causes", "Causes.", FieldType.OBJECT),
                    Descriptions.object(
                            "areas", "Areas", "Scores of the areas.", area("web", "Web"), area("dns", "DNS")),
                    Descriptions.array("parts", "Parts", "Results of the parts.", FieldType.OBJECT),
                    Descriptions.integer("part_count", "Parts", "The number of parts."))
            .findings(PART_FAILED)
            .build();

    /** Starts a service with this module that trusts proxies on loopback. */
    public static ServiceUnderTest start(Path folder, TestDatabase database, Map<String, String> settings) {
        Map<String, String> all = new LinkedHashMap<>(settings);
        all.put("HTTP_TRUSTED_PROXIES", "127.0.0.1");
        return SampleModule.withModules(
                folder,
                List.of(SampleComposite.class, QuickPart.class, SlowPart.class, FailingPart.class),
                () -> ServiceUnderTest.start(database.url(), all));
    }

    /** Sets the version of the rules of the parts in later results. */
    public static void setRulesVersion(int version) {
        rulesVersion = version;
    }

    private static Promise<Void> gate(String target) {
        return GATES.computeIfAbsent(target, name -> Promise.promise());
    }

    /** Completes the slow part of a target. */
    public static void release(String target) {
        gate(target).tryComplete();
    }

    @Override
    public ModuleDescription description() {
        return DESCRIPTION;
    }

    @Override
    public Future<List<CheckResult>> collect(Target target, CheckContext context) {
        List<Future<CheckResult>> parts = context.parts().stream()
                .map(part -> context.check(part, target.text()).map(PartResult::result))
                .toList();
        return Future.all(parts).map(all -> parts.stream().map(Future::result).toList());
    }

    @Override
    public Evaluation evaluate(List<CheckResult> results, Options options) {
        List<Map<String, Object>> parts = new ArrayList<>();
        for (CheckResult result : results) {
            Map<String, Object> part = new LinkedHashMap<>();
            part.put("module", result.module());
            part.put("rules", result.module() + "/" + rulesVersion);
            part.put("target", result.target());
            part.put("verdict", result.verdict().id());
            Finding top = result.findings().isEmpty() ? null : result.findings().get(0);
            part.put("top_finding", top == null ? null : Map.of("message", top.message(), "action", top.action()));
            part.put(
                    "error",
                    result.error() == null
                            ? null
                            : Map.of("message", result.error().message()));
            parts.add(part);
        }
        Map<String, Object> fields = new LinkedHashMap<>();
        boolean low = results.stream()
                .anyMatch(result -> String.valueOf(result.target()).startsWith("low"));
        fields.put("score", low ? 45 : 81);
        fields.put("grade", low ? "D" : "B");
        Map<String, Object> cause = Map.of(
                "code",
                FAILURE.code(),
                "module",
                "sample-slow",
                "target",
                "a.example",
                "level",
                "fail",
                "consequence",
                "exposed",
                "message",
                FAILURE.message(),
                "action",
                FAILURE.action(),
                "parts",
                List.of("sample-slow", "sample-failing"));
        fields.put("fix_first", List.of(cause));
        fields.put("causes", List.of(cause));
        fields.put(
                "areas",
                Map.of("web", low ? area("F", 9, "fail") : area("C", 61, "fail"), "dns", area("A", 100, "pass")));
        fields.put("parts", parts);
        fields.put("part_count", parts.size());
        return new Evaluation(fields, List.of(finding(PART_FAILED)), null);
    }

    private static FieldDescription area(String name, String title) {
        return Descriptions.object(
                name,
                title,
                "The area.",
                Descriptions.integer("score", "Score", "A score."),
                Descriptions.string("grade", "Grade", "A grade."),
                Descriptions.string("verdict", "Verdict", "A verdict."));
    }

    private static Map<String, Object> area(String grade, int score, String verdict) {
        return Map.of("grade", grade, "score", score, "verdict", verdict);
    }

    private static Finding finding(FindingCode code) {
        return new Finding(code.level(), code.code(), code.field(), code.message(), code.action(), code.reference());
    }

    private static ModuleDescription part(String name, String title, String area, InputType input) {
        return ModuleDescriptionBuilder.of(name, title, input)
                .summary("Has a fixed result.")
                .category("web")
                .partOf(NAME, area)
                .fields(Descriptions.orNull(Descriptions.string("text", "Text", "Text.")))
                .findings(FAILURE)
                .build();
    }

    private abstract static class Part implements ModuleDefinition<String> {
        private final ModuleDescription description;

        Part(ModuleDescription description) {
            this.description = description;
        }

        @Override
        public ModuleDescription description() {
            return description;
        }

        @Override
        public Future<String> collect(Target target, CheckContext context) {
            return Future.succeededFuture(target.text());
        }

        @Override
        public Evaluation evaluate(String target, Options options) {
            return new Evaluation(Map.of("text", target), List.of(), null);
        }
    }

    /** Completes at once. */
    public static final class QuickPart extends Part {
        public QuickPart() {
            super(part("sample-quick", "Quick part", "dns", InputType.DOMAIN));
        }
    }

    /** Completes when the test releases the target. */
    public static final class SlowPart extends Part {
        public SlowPart() {
            super(part("sample-slow", "Slow part", "web", InputType.DOMAIN));
        }

        @Override
        public Future<String> collect(Target target, CheckContext context) {
            return gate(target.text()).future().map(target.text());
        }

        @Override
        public Evaluation evaluate(String target, Options options) {
            return new Evaluation(Map.of("text", target), List.of(finding(FAILURE)), null);
        }
    }

    /** Completes with an error. Checks a URL. */
    public static final class FailingPart extends Part {
        public FailingPart() {
            super(part("sample-failing", "Failing part", "web", InputType.URL));
        }

        @Override
        public Evaluation evaluate(String target, Options options) {
            return new Evaluation(
                    Map.of(), List.of(), new CheckError(ErrorCode.CONNECT_REFUSED, "Connection refused by " + target));
        }
    }
}
