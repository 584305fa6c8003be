package dev.plumbline.check;

import dev.plumbline.result.CheckResult;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Runs the parts of a composite. */
public final class PartRuns {
    private PartRuns() {}

    /**
     * Runs parts for a domain. Starts the last part first, so that parts do not wait for a slow web server; before them
     * those on which others depend, so that the others do not use up the limits of the target and of the composite. A
     * part that checks a mail server is omitted if the domain does not have one.
     *
     * @return the results, in the order of the parts
     */
    public static Future<List<PartResult>> runAll(CheckContext context, String domain, List<CompositePart> parts) {
        CompositePart mx = parts.stream()
                .filter(part -> part.module().module().equals(CompositePart.MX_MODULE))
                .findFirst()
                .orElse(null);
        Future<PartResult> mailServers = mx == null ? null : context.check(mx, domain);
        Map<CompositePart, Future<@Nullable PartResult>> entries = new HashMap<>();
        for (CompositePart part : parts) {
            if (part.module().reachability() && !part.needsMailServer()) {
                entries.put(part, run(context, part, part.target(domain, null)));
            }
        }
        List<Future<@Nullable PartResult>> results = new ArrayList<>();
        for (int i = parts.size() - 1; i >= 0; i--) {
            CompositePart part = parts.get(i);
            if (part.equals(mx)) {
                results.add(0, mailServers);
            } else if (entries.containsKey(part)) {
                results.add(0, entries.get(part));
            } else if (!part.needsMailServer()) {
                results.add(0, run(context, part, part.target(domain, null)));
            } else if (mailServers != null) {
                results.add(0, mailServers.compose(mail -> runForMailServer(context, part, domain, mail.result())));
            }
        }
        Future<?> all = Future.join(results);
        return all.map(done -> results.stream()
                .flatMap(result -> Stream.ofNullable(result.result()))
                .toList());
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
}
