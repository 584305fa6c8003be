package dev.plumbline.check;

import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of a part of a composite.
 *
 * @param target null if it was not determined
 * @param result for the target, or for the module that did not determine it
 * @param unverified the result without verification of the server's certificate, if the part ended with
 *     {@code tls_untrusted}; null otherwise
 */
public record PartResult(
        CompositePart part, @Nullable String target, CheckResult result, @Nullable CheckResult unverified) {

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
        Future<PartResult> mailServers = mx == null ? null : context.check(mx, domain);
        List<Future<@Nullable PartResult>> results = new ArrayList<>();
        for (int i = parts.size() - 1; i >= 0; i--) {
            CompositePart part = parts.get(i);
            if (part.equals(mx)) {
                results.add(0, mailServers);
            } else if (!part.needsMailServer()) {
                results.add(0, run(context, part, part.target(domain, null)));
            } else if (mailServers != null) {
                results.add(0, mailServers.compose(mail -> runForMailServer(context, part, domain, mail.result())));
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
        return target == null ? Future.succeededFuture(null) : context.check(part, target);
    }

    private static Future<@Nullable PartResult> runForMailServer(
            CheckContext context, CompositePart part, String domain, CheckResult mailServers) {
        return mailServers.error() != null
                ? Future.succeededFuture(new PartResult(part, null, mailServers, null))
                : run(context, part, part.target(domain, CompositePart.mailServer(mailServers)));
    }

    /**
     * Whether no part has a result about the domain, so that the composite does not have one either: each part has an
     * error, and not because the website or mail does not work.
     */
    public static boolean noneReached(List<PartResult> parts, List<Cause> causes) {
        return !parts.isEmpty()
                && parts.stream().allMatch(part -> part.errorCode() != null)
                && (causes.stream().noneMatch(Cause::unavailable)
                        || parts.stream().allMatch(part -> part.errorCode() == ErrorCode.DNS_NXDOMAIN));
    }

    /** The key value of the report; null if it does not have one. */
    public @Nullable String headline() {
        return target == null ? null : part.module().headline().of(inspected());
    }

    /** The first finding of the worst level; null if there is none or the target was not determined. */
    public @Nullable Finding topFinding() {
        return target == null ? null : inspected().topFinding();
    }

    /** The name of the module. */
    public String module() {
        return part.module().module();
    }

    /** The result that describes the target: the one without verification of the certificate if there is one. */
    public CheckResult inspected() {
        return unverified == null ? result : unverified;
    }

    /** The verdict of the part; {@code error} if it was not determined. See {@link CompositePart#verdict}. */
    public Verdict verdict() {
        if (target == null) {
            return Verdict.ERROR;
        }
        return unverified == null || entry() ? part.verdict(result) : unverified.verdict();
    }

    /** Whether other parts depend on the server that this part tests. */
    boolean entry() {
        return part.module().reachability();
    }

    /** The code of the error; null if the part completed. */
    @Nullable
    ErrorCode errorCode() {
        return result.error() == null ? null : result.error().code();
    }

    /** Whether the part did not complete because of its target. Not known for mail servers that do not respond. */
    boolean endedByTarget() {
        CheckError error = result.error();
        return error != null && error.code().targetFault() && !part.isSilentMailServer(error);
    }
}
