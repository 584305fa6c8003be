package dev.plumbline.check;

import dev.plumbline.result.CheckError;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.Evaluation;
import dev.plumbline.result.Finding;
import dev.plumbline.result.ResultSizeLimit;
import dev.plumbline.result.Verdict;
import dev.plumbline.sheet.FieldDescription;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.target.PrintableText;
import dev.plumbline.target.Target;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Builds the result of a check: adds missing fields, determines the verdict and enforces the size limit. */
public final class ResultAssembler {
    /** Bytes reserved for JSON syntax and for the members that a response adds to a result. */
    private static final int ENVELOPE_BYTES = 512;

    private ResultAssembler() {}

    public static CheckResult assemble(
            ModuleDescription module, Target target, Evaluation evaluation, Instant checkedAt, long durationMs) {
        return assemble(module, target.text(), evaluation, checkedAt, durationMs);
    }

    private static CheckResult assemble(
            ModuleDescription module,
            @Nullable String target,
            Evaluation evaluation,
            Instant checkedAt,
            long durationMs) {
        int budget = ResultSizeLimit.MAX - ENVELOPE_BYTES - ResultSizeLimit.size(target);
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        for (FieldDescription field : module.fields()) {
            fields.put(field.name(), evaluation.fields().get(field.name()));
            budget -= "\"fields.\",".length() + field.name().length();
        }
        List<String> truncated = new ArrayList<>();
        List<Finding> findings = ResultSizeLimit.fitting(evaluation.findings());
        if (!findings.equals(evaluation.findings())) {
            truncated.add("findings");
        }
        budget -= ResultSizeLimit.findingsSize(findings);
        CheckError error = evaluation.error();
        if (error != null) {
            String message = PrintableText.cut(error.message(), ResultSizeLimit.MAX_TEXT_LENGTH);
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
                module.rules(),
                target,
                Verdict.of(evaluation.findings(), error, module.reachability()),
                cut.fields(),
                findings,
                List.copyOf(truncated),
                error,
                checkedAt.truncatedTo(ChronoUnit.MILLIS),
                durationMs,
                evaluation.retryAfterSeconds(),
                true);
    }

    /** Returns the result of a check that ended in an error without a report. */
    public static CheckResult failed(
            ModuleDescription module, Target target, CheckError error, Instant checkedAt, long durationMs) {
        return assemble(module, target, new Evaluation(Map.of(), List.of(), error), checkedAt, durationMs);
    }

    /** Returns the result of a line that is not a valid target. */
    public static CheckResult withoutTarget(ModuleDescription module, CheckError error, Instant checkedAt) {
        return assemble(module, (String) null, new Evaluation(Map.of(), List.of(), error), checkedAt, 0);
    }
}
