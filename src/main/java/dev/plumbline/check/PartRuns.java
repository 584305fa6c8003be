package dev.plumbline.check;

import dev.plumbline.result.CheckResult;
import io.vertx.core.Future;
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
     * part that checks a mail server is omitted if the domain does not have one. The TLS scan of the mail server runs
     * after the other parts about mail, because it can use up the connections that the server permits, and is omitted
     * if the server does not support STARTTLS.
     *
     * @return the results, in the order of the parts
     */
    public static Future<List<PartResult>> runAll(CheckContext context, String domain, List<CompositePart> parts) {
        CompositePart mx = find(parts, CompositePart.MX_MODULE);
        CompositePart smtp = find(parts, CompositePart.SMTP_MODULE);
        CompositePart scan = find(parts, CompositePart.MAIL_SCAN_MODULE);
        Future<PartResult> mailServers = mx == null ? null : context.check(mx, domain);
        Map<CompositePart, Future<@Nullable PartResult>> started = new HashMap<>();
        for (CompositePart part : parts) {
            if (part.module().reachability() && !part.needsMailServer()) {
                started.put(part, run(context, part, part.target(domain, null)));
            }
        }
        for (int i = parts.size() - 1; i >= 0; i--) {
            CompositePart part = parts.get(i);
            if (part.equals(mx)) {
                started.put(part, mailServers);
            } else if (!part.needsMailServer()) {
                if (!started.containsKey(part)) {
                    started.put(part, run(context, part, part.target(domain, null)));
                }
            } else if (mailServers != null && !part.equals(scan)) {
                started.put(part, mailServers.compose(mail -> runForMailServer(context, part, domain, mail.result())));
            }
        }
        if (mailServers != null && scan != null) {
            List<Future<@Nullable PartResult>> others = parts.stream()
                    .filter(part -> part.area().equals(CompositePart.MAIL_AREA))
                    .flatMap(part -> Stream.ofNullable(started.get(part)))
                    .toList();
            Future<@Nullable PartResult> none = Future.succeededFuture(null);
            Future<@Nullable PartResult> greeting = smtp == null ? none : started.getOrDefault(smtp, none);
            Future<?> ended = Future.join(others);
            started.put(
                    scan,
                    ended.compose(done -> mailServers)
                            .compose(mail -> scanMailServer(context, scan, domain, mail.result(), greeting.result())));
        }
        List<Future<@Nullable PartResult>> results = parts.stream()
                .flatMap(part -> Stream.ofNullable(started.get(part)))
                .toList();
        Future<?> all = Future.join(results);
        return all.map(done -> results.stream()
                .flatMap(result -> Stream.ofNullable(result.result()))
                .toList());
    }

    private static @Nullable CompositePart find(List<CompositePart> parts, String module) {
        return parts.stream()
                .filter(part -> part.module().module().equals(module))
                .findFirst()
                .orElse(null);
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

    /** @param smtp the result of {@value CompositePart#SMTP_MODULE}; null if there is none */
    private static Future<@Nullable PartResult> scanMailServer(
            CheckContext context,
            CompositePart scan,
            String domain,
            CheckResult mailServers,
            @Nullable PartResult smtp) {
        if (smtp != null && smtp.result().error() != null) {
            return Future.succeededFuture(new PartResult(scan, null, smtp.result(), null));
        }
        return smtp != null && Boolean.FALSE.equals(smtp.result().fields().get("starttls"))
                ? Future.succeededFuture(null)
                : runForMailServer(context, scan, domain, mailServers);
    }
}
