package dev.plumbline.module.web;

import com.google.auto.service.AutoService;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.CheckModule;
import dev.plumbline.check.RegisteredModule;
import dev.plumbline.probe.http.HttpExchange;
import dev.plumbline.probe.http.HttpProbe;
import dev.plumbline.probe.http.HttpRequestSpec;
import dev.plumbline.probe.http.HttpTimings;
import dev.plumbline.sheet.FindingCollector;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.Target;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.DoubleConsumer;
import org.jspecify.annotations.Nullable;

/** The duration of each phase of an HTTP request. */
@AutoService(RegisteredModule.class)
public final class HttpTiming implements CheckModule<HttpTiming.Evidence, HttpTiming.Report, HttpTiming.Findings> {
    private static final String SAMPLES = "samples";
    private static final int MAX_BYTES = 1024 * 1024;
    private static final double VARIATION_MS = 100;

    public record Report(
            double dnsMs,
            double connectMs,
            @Nullable Double tlsMs,
            double ttfbMs,
            double downloadMs,
            double totalMs,
            int bytes,
            String ip) {}

    public interface Findings extends FindingCollector {
        void slowDns(double ms);

        void slowConnect(double ms);

        void slowTls(double ms);

        void slowTtfb(double ms);

        void slowResponse(double ms);

        void samplesIncomplete(int count, long samples);

        void timesVary(long fastest, long slowest);

        void redirectNotFollowed(int status);

        void errorPage(int status);

        void pageTruncated();
    }

    /**
     * @param samples at least one, in order, without their content
     * @param complete whether all requested samples were measured
     */
    public record Evidence(List<HttpExchange> samples, boolean complete) {}

    @Override
    public Future<Evidence> collect(Target target, CheckContext context) {
        HttpRequestSpec request = HttpRequestSpec.get((Target.Url) target, MAX_BYTES);
        return context.probe(HttpProbe.class)
                .send(context, request)
                .compose(first -> collectMore(context, request, List.of(first.withoutContent())));
    }

    private static Future<Evidence> collectMore(
            CheckContext context, HttpRequestSpec request, List<HttpExchange> samples) {
        boolean complete = samples.size() == context.options().integer(SAMPLES);
        if (complete || samples.get(0).bodyError() != null) {
            return Future.succeededFuture(new Evidence(samples, complete));
        }
        return context.probe(HttpProbe.class).send(context, request).transform(outcome -> {
            if (outcome.failed() && !(outcome.cause() instanceof CheckFailure)) {
                return Future.failedFuture(outcome.cause());
            }
            if (outcome.failed() || outcome.result().bodyError() != null) {
                return Future.succeededFuture(new Evidence(samples, false));
            }
            List<HttpExchange> more = new ArrayList<>(samples);
            more.add(outcome.result().withoutContent());
            return collectMore(context, request, more);
        });
    }

    @Override
    public Report evaluate(Evidence evidence, Options options, Findings findings) {
        List<HttpExchange> sorted = evidence.samples().stream()
                .sorted(Comparator.comparingDouble(HttpTiming::totalMs))
                .toList();
        HttpExchange sample = sorted.get((sorted.size() - 1) / 2);
        HttpTimings timings = sample.timings();
        findings.error(sample.bodyError());
        addIfAbove(300, timings.dnsMs(), findings::slowDns);
        addIfAbove(300, timings.connectMs(), findings::slowConnect);
        addIfAbove(500, timings.tlsMs(), findings::slowTls);
        addIfAbove(800, timings.ttfbMs(), findings::slowTtfb);
        addIfAbove(3_000, totalMs(sample), findings::slowResponse);
        if (!evidence.complete()) {
            findings.samplesIncomplete(sorted.size(), options.integer(SAMPLES));
        }
        double fastest = totalMs(sorted.get(0));
        double slowest = totalMs(sorted.get(sorted.size() - 1));
        if (slowest > 2 * fastest && slowest > fastest + VARIATION_MS) {
            findings.timesVary(Math.round(fastest), Math.round(slowest));
        }
        if (sample.redirects()) {
            findings.redirectNotFollowed(sample.status());
        } else if (sample.status() >= 400) {
            findings.errorPage(sample.status());
        }
        if (sample.bodyError() == null && sample.body().truncated()) {
            findings.pageTruncated();
        }
        return new Report(
                timings.dnsMs(),
                timings.connectMs(),
                timings.tlsMs(),
                timings.ttfbMs(),
                timings.downloadMs(),
                totalMs(sample),
                sample.body().size(),
                sample.ip());
    }

    /** The sum of all phases, without time in queues of this service. */
    private static double totalMs(HttpExchange sample) {
        HttpTimings timings = sample.timings();
        double tls = timings.tlsMs() == null ? 0 : timings.tlsMs();
        double sum = timings.dnsMs() + timings.connectMs() + tls + timings.ttfbMs() + timings.downloadMs();
        return Math.round(sum * 1_000) / 1_000.0;
    }

    private static void addIfAbove(double limitMs, @Nullable Double ms, DoubleConsumer finding) {
        if (ms != null && ms > limitMs) {
            finding.accept(ms);
        }
    }
}
