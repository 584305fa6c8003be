package dev.plumbline.module.mail;

import com.google.auto.service.AutoService;
import dev.plumbline.check.Cause;
import dev.plumbline.check.CauseFinder;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckModule;
import dev.plumbline.check.CompositeScore;
import dev.plumbline.check.PartFindings;
import dev.plumbline.check.PartResult;
import dev.plumbline.check.PartRuns;
import dev.plumbline.check.RegisteredModule;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Verdict;
import dev.plumbline.sheet.NullOnError;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.PrintableText;
import dev.plumbline.target.Target;
import io.vertx.core.Future;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A report about the mail of a domain, composed of the reports of other modules. */
@AutoService(RegisteredModule.class)
public final class MailHealth implements CheckModule<List<PartResult>, MailHealth.Report, PartFindings> {
    /** The budget of nine parts with 25 requests, and of the TLS scan of the mail server with 20. */
    private static final int REQUESTS = 245;

    private static final int MAX_TEXT = 300;

    /** The fields of the report. Score and grade are null only in a result with an error. */
    public record Report(
            @NullOnError Integer score,
            @NullOnError String grade,
            List<Cause> fixFirst,
            List<Cause> causes,
            Map<String, ?> parts) {}

    @Override
    public int requests(Options options) {
        return REQUESTS;
    }

    @Override
    public Future<List<PartResult>> collect(Target target, CheckContext context) {
        return PartRuns.runAll(context, target.text(), context.parts());
    }

    @Override
    public Report evaluate(List<PartResult> results, Options options, PartFindings findings) {
        List<Cause> causes = CauseFinder.of(results);
        boolean noneReached = CauseFinder.noneReached(results, causes);
        Integer score = noneReached ? null : new CompositeScore(causes).ofArea(results);
        if (score == null) {
            results.stream()
                    .filter(part -> part.verdict() == Verdict.ERROR)
                    .findFirst()
                    .ifPresent(part -> findings.error(part.result().error()));
        }
        if (!noneReached) {
            Cause.report(causes, results, findings);
        }
        Map<String, @Nullable Object> parts = new LinkedHashMap<>();
        results.forEach(part -> parts.put(part.module(), row(part)));
        return new Report(score, CompositeScore.grade(score), Cause.first(causes), causes, parts);
    }

    private static Map<String, @Nullable Object> row(PartResult part) {
        Finding top = part.topFinding();
        CheckError error = part.result().error();
        Map<String, @Nullable Object> row = new LinkedHashMap<>();
        row.put("rules", part.result().rules());
        row.put("target", part.target() == null ? null : part.result().target());
        row.put("verdict", part.verdict().id());
        row.put("headline", part.headline());
        row.put("code", top == null ? null : top.code());
        row.put("message", top == null ? null : PrintableText.shorten(top.message(), MAX_TEXT));
        row.put("action", top == null ? null : PrintableText.shorten(top.action(), MAX_TEXT));
        row.put("fields", part.keptFields());
        row.put("findings", part.findingCodes());
        row.put("error", error == null ? null : error.code().id());
        row.put("error_message", error == null ? null : PrintableText.shorten(error.message(), MAX_TEXT));
        return row;
    }
}
