package dev.plumbline.check;

import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The result of a part of a composite.
 *
 * @param target null if it was not determined
 * @param result for the target, or for the module that did not determine it
 */
public record PartResult(CompositePart part, @Nullable String target, CheckResult result) {

    /**
     * Runs parts for a domain. Starts the last part first, so that parts do not wait for a slow web server. A part that
     * checks a mail server is omitted if the domain does not have one.
     *
     * @return the results, in the order of the parts
     */
    public static Future<List<PartResult>> runAll(CheckContext context, String domain, List<CompositePart> parts) {
        CompositePart mx = parts.stream()
                .filter(part -> part.module().module().equals(CompositePart.MX_MODULE))
                .findFirst()
                .orElse(null);
        Future<CheckResult> mailServers = mx == null ? null : context.check(mx, domain);
        List<Future<@Nullable PartResult>> results = new ArrayList<>();
        for (int i = parts.size() - 1; i >= 0; i--) {
            CompositePart part = parts.get(i);
            if (part.equals(mx)) {
                results.add(0, mailServers.map(result -> new PartResult(part, domain, result)));
            } else if (!part.needsMailServer()) {
                results.add(0, run(context, part, part.target(domain, null)));
            } else if (mailServers != null) {
                results.add(0, mailServers.compose(result -> runForMailServer(context, part, domain, result)));
            }
        }
        Future<List<PartResult>> all = Future.succeededFuture(List.of());
        for (Future<@Nullable PartResult> result : results) {
            all = all.compose(before -> result.map(next -> next == null ? before : append(before, next)));
        }
        return all;
    }

    private static List<PartResult> append(List<PartResult> before, PartResult next) {
        List<PartResult> all = new ArrayList<>(before);
        all.add(next);
        return all;
    }

    private static Future<@Nullable PartResult> run(CheckContext context, CompositePart part, @Nullable String target) {
        return target == null
                ? Future.succeededFuture(null)
                : context.check(part, target).map(result -> new PartResult(part, target, result));
    }

    private static Future<@Nullable PartResult> runForMailServer(
            CheckContext context, CompositePart part, String domain, CheckResult mailServers) {
        return mailServers.error() != null
                ? Future.succeededFuture(new PartResult(part, null, mailServers))
                : run(context, part, part.target(domain, CompositePart.mailServer(mailServers)));
    }

    /** The verdict of the part; {@code error} if it was not determined. See {@link CompositePart#verdict}. */
    public Verdict verdict() {
        return target == null ? Verdict.ERROR : part.verdict(result);
    }

    /**
     * Reports the parts that did not pass. Parts with the same error have the same cause, so it is reported once: by
     * the part with the worst finding.
     */
    public static void report(List<PartResult> parts, PartFindings findings) {
        Map<CheckError, List<PartResult>> byError = new LinkedHashMap<>();
        for (PartResult part : parts) {
            if (part.result().error() != null && part.verdict() != Verdict.PASS) {
                byError.computeIfAbsent(part.result().error(), none -> new ArrayList<>())
                        .add(part);
            }
        }
        for (PartResult part : parts) {
            List<PartResult> same = part.result().error() == null
                    ? null
                    : byError.get(part.result().error());
            if (same == null) {
                part.report(part.part().module().title(), findings);
            } else if (same.get(0) == part) {
                worst(same).report(titles(same), findings);
            }
        }
    }

    private static PartResult worst(List<PartResult> parts) {
        return Collections.max(
                parts,
                Comparator.comparing((PartResult part) -> part.verdict() == Verdict.FAIL)
                        .thenComparing(part -> part.result().topFinding() != null
                                && part.result().topFinding().level() == Level.FAIL));
    }

    private static String titles(List<PartResult> parts) {
        String title = worst(parts).part().module().title();
        int others = parts.size() - 1;
        return others == 0 ? title : title + " and " + (others == 1 ? "1 other part" : others + " other parts");
    }

    private void report(String title, PartFindings findings) {
        switch (verdict()) {
            case FAIL -> findings.partFail(title, message(), action());
            case WARN -> findings.partWarn(title, message(), action());
            case ERROR -> findings.partError(title, errorMessage());
            case PASS -> {}
        }
    }

    /** The message of the worst finding, or of the error. */
    private SheetText message() {
        Finding top = result.topFinding();
        return top == null ? errorMessage() : new SheetText(top.message());
    }

    /** The action of the worst finding, or the module that has the details. */
    private SheetText action() {
        Finding top = result.topFinding();
        return new SheetText(
                top == null || top.action().isEmpty()
                        ? "For details, run `%s` for `%s`."
                                .formatted(part.module().module(), result.target())
                        : top.action());
    }

    /** The message of the error. */
    private SheetText errorMessage() {
        CheckError error = result.error();
        return new SheetText(error == null ? "See the report of this check." : error.message());
    }
}
