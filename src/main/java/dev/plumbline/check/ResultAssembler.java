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
  private static final int MOST_FINDINGS = 100;

  private ResultAssembler() {}

  /** The result of a check that ended in a judgement. */
  public static CheckResult judged(
      Description module, Target target, Judgement judgement, Instant checkedAt, long durationMs) {
    Map<String, @Nullable Object> fields = new LinkedHashMap<>();
    for (Field field : module.fields()) {
      fields.put(field.name(), judgement.fields().get(field.name()));
    }
    List<String> truncated = new ArrayList<>();
    List<Finding> findings = judgement.findings();
    if (findings.size() > MOST_FINDINGS) {
      findings = findings.subList(0, MOST_FINDINGS);
      truncated.add("findings");
    }
    ResultSize.Cut cut = ResultSize.cut(fields, size(findings));
    cut.truncated().forEach(name -> truncated.add("fields." + name));
    return new CheckResult(
        module.module(),
        target.text(),
        Verdict.of(judgement.findings(), judgement.error(), module.reachability()),
        cut.fields(),
        findings,
        List.copyOf(truncated),
        judgement.error(),
        checkedAt.truncatedTo(ChronoUnit.MILLIS),
        durationMs);
  }

  /** The result of a check that ended in an error and has nothing else to tell. */
  public static CheckResult failed(
      Description module, Target target, CheckError error, Instant checkedAt, long durationMs) {
    return judged(module, target, new Judgement(Map.of(), List.of(), error), checkedAt, durationMs);
  }

  private static int size(List<Finding> findings) {
    int bytes = 0;
    for (Finding finding : findings) {
      bytes +=
          96
              + ResultSize.size(finding.message())
              + ResultSize.size(finding.action())
              + ResultSize.size(finding.code());
    }
    return bytes;
  }
}
