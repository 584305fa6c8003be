package dev.plumbline.module.network;

import com.google.auto.service.AutoService;
import dev.plumbline.check.Cause;
import dev.plumbline.check.CauseFinder;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckModule;
import dev.plumbline.check.CompositePart;
import dev.plumbline.check.CompositeScore;
import dev.plumbline.check.PartFindings;
import dev.plumbline.check.PartResult;
import dev.plumbline.check.PartRuns;
import dev.plumbline.check.RegisteredModule;
import dev.plumbline.module.reference.DanglingReferences;
import dev.plumbline.probe.routing.RpkiValidator;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Level;
import dev.plumbline.result.Verdict;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.PrintableText;
import dev.plumbline.target.Target;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A report about a domain, composed of the reports of other modules. */
@AutoService(RegisteredModule.class)
public final class Overview implements CheckModule<List<PartResult>, Overview.Report, PartFindings> {
    private static final String AREAS = "areas";
    private static final int REQUESTS = 200;

    /**
     * The part that is omitted without an RPKI validator, because each domain would have a problem that only the
     * operator of this service can fix.
     */
    private static final String NEEDS_VALIDATOR = "rpki";

    private static final int MAX_TEXT = 300;

    /** The areas; null without parts. */
    public record Areas(
            @Nullable Area web,
            @Nullable Area tls,
            @Nullable Area dns,
            @Nullable Area mail,
            @Nullable Area registration) {}

    public record Area(
            @Nullable Integer score, @Nullable String grade, Verdict verdict, int partCount, int failedCount) {}

    public record TopFinding(Level level, String code, String message, String action) {}

    public record PartError(String code, String message) {}

    /**
     * @param rules of the result; null if an earlier version of the program created it
     * @param headline the key value of the report
     */
    public record Part(
            String module,
            @Nullable String rules,
            String area,
            @Nullable String target,
            Verdict verdict,
            @Nullable String headline,
            boolean unverified,
            @Nullable TopFinding topFinding,
            @Nullable Map<String, @Nullable Object> fields,
            List<String> findings,
            @Nullable PartError error) {}

    public record Report(
            @Nullable Integer score,
            @Nullable String grade,
            Areas areas,
            List<Cause> fixFirst,
            List<Cause> causes,
            List<Part> parts,
            int partCount,
            int failedCount) {}

    @Override
    public int requests(Options options) {
        return REQUESTS;
    }

    @Override
    public Future<List<PartResult>> collect(Target target, CheckContext context) {
        List<String> areas = context.options().list(AREAS);
        boolean validator = context.probe(RpkiValidator.class).isConfigured();
        List<CompositePart> parts = context.parts().stream()
                .filter(part -> areas.contains(part.area()))
                .filter(part -> validator || !part.module().module().equals(NEEDS_VALIDATOR))
                .toList();
        return PartRuns.runAll(context, target.text(), parts)
                .compose(results -> context.options().flag(DanglingReferences.REGISTRATIONS)
                        ? PartRegistrations.add(context, results)
                        : Future.succeededFuture(results));
    }

    @Override
    public Report evaluate(List<PartResult> parts, Options options, PartFindings findings) {
        List<Cause> causes = CauseFinder.of(parts);
        boolean noneReached = CauseFinder.noneReached(parts, causes);
        if (noneReached) {
            findings.error(parts.get(0).result().error());
        } else {
            Cause.report(causes, parts, findings);
        }
        CompositeScore scores = new CompositeScore(noneReached ? List.of() : causes);
        Areas areas = new Areas(
                area(parts, "web", scores),
                area(parts, "tls", scores),
                area(parts, "dns", scores),
                area(parts, "mail", scores),
                area(parts, "registration", scores));
        List<@Nullable Integer> ofAreas = new ArrayList<>();
        for (Area area : new Area[] {areas.web(), areas.tls(), areas.dns(), areas.mail(), areas.registration()}) {
            if (area != null) {
                ofAreas.add(area.score());
            }
        }
        Integer score = scores.total(ofAreas, parts);
        return new Report(
                score,
                CompositeScore.grade(score),
                areas,
                Cause.first(causes),
                causes,
                parts.stream().map(Overview::part).toList(),
                parts.size(),
                failed(parts));
    }

    private static @Nullable Area area(List<PartResult> all, String name, CompositeScore scores) {
        List<PartResult> parts =
                all.stream().filter(part -> part.part().area().equals(name)).toList();
        if (parts.isEmpty()) {
            return null;
        }
        Integer score = scores.ofArea(parts);
        Verdict worst = parts.stream()
                .map(PartResult::verdict)
                .filter(verdict -> verdict != Verdict.ERROR)
                .max(Verdict::compareTo)
                .orElse(Verdict.ERROR);
        return new Area(score, CompositeScore.grade(score), worst, parts.size(), failed(parts));
    }

    private static int failed(List<PartResult> parts) {
        return (int)
                parts.stream().filter(part -> part.verdict() == Verdict.FAIL).count();
    }

    private static Part part(PartResult part) {
        Finding top = part.topFinding();
        CheckError error = part.result().error();
        return new Part(
                part.module(),
                part.result().rules(),
                part.part().area(),
                part.target() == null ? null : part.result().target(),
                part.verdict(),
                part.headline(),
                part.unverified() != null,
                top == null
                        ? null
                        : new TopFinding(top.level(), top.code(), shorten(top.message()), shorten(top.action())),
                part.keptFields(),
                part.findingCodes(),
                error == null ? null : new PartError(error.code().id(), shorten(error.message())));
    }

    private static String shorten(String text) {
        return PrintableText.shorten(text, MAX_TEXT);
    }
}
