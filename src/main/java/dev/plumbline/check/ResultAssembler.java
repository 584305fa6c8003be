package dev.plumbline.check;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Makes the whole result of what a module judged: every declared field, the verdict, the size. */
public final class ResultAssembler {
    /** What stands around everything that is counted, and what an answer adds to a result. */
    private static final int ENVELOPE = 512;

    private ResultAssembler() {}

    /** The result of a check that ended in a judgement. */
    public static CheckResult judged(
            ModuleDescription module, Target target, Evaluation judgement, Instant checkedAt, long durationMs) {
        int budget = ResultSizeLimit.MOST - ENVELOPE - ResultSizeLimit.size(target.text());
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        for (FieldDescription field : module.fields()) {
            fields.put(field.name(), judgement.fields().get(field.name()));
            budget -= "\"fields.\",".length() + field.name().length();
        }
        List<String> truncated = new ArrayList<>();
        List<Finding> findings = ResultSizeLimit.fitting(judgement.findings());
        if (!findings.equals(judgement.findings())) {
            truncated.add("findings");
        }
        budget -= ResultSizeLimit.findingsSize(findings);
        CheckError error = judgement.error();
        if (error != null) {
            String message = ResultSizeLimit.shorten(error.message(), ResultSizeLimit.LONG_TEXT);
            if (message.length() < error.message().length()) {
                error = new CheckError(error.code(), message);
                truncated.add("error.message");
            }
            budget -= ResultSizeLimit.size(message);
        }
        ResultSizeLimit.Cut cut = ResultSizeLimit.cut(fields, budget);
        cut.truncated().forEach(name -> truncated.add("fields." + name));
        return new CheckResult(
                module.module(),
                target.text(),
                Verdict.of(judgement.findings(), error, module.reachability()),
                cut.fields(),
                findings,
                List.copyOf(truncated),
                error,
                checkedAt.truncatedTo(ChronoUnit.MILLIS),
                durationMs);
    }

    /** The result of a check that ended in an error and has nothing else to tell. */
    public static CheckResult failed(
            ModuleDescription module, Target target, CheckError error, Instant checkedAt, long durationMs) {
        return judged(module, target, new Evaluation(Map.of(), List.of(), error), checkedAt, durationMs);
    }

    /** The result of a line of which nothing was checked, because it is no target for one. */
    public static CheckResult withoutTarget(ModuleDescription module, CheckError error, Instant checkedAt) {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        module.fields().forEach(field -> fields.put(field.name(), null));
        return new CheckResult(
                module.module(),
                null,
                Verdict.of(List.of(), error, module.reachability()),
                fields,
                List.of(),
                List.of(),
                new CheckError(error.code(), ResultSizeLimit.shorten(error.message(), ResultSizeLimit.LONG_TEXT)),
                checkedAt.truncatedTo(ChronoUnit.MILLIS),
                0);
    }
}
