package dev.plumbline.app;

import dev.plumbline.config.Config;
import dev.plumbline.http.ClientAddress;
import dev.plumbline.ops.SpanTracer;
import dev.plumbline.trace.Tracer;
import dev.plumbline.trace.export.SpanExport;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.VertxBuilder;
import java.util.HashMap;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** Traces of this process. No class of the library is loaded and no tracer is installed while they are disabled. */
final class Tracing {
    private Tracing() {}

    /**
     * Starts the export and installs the tracer.
     *
     * @return null if traces are disabled
     */
    static @Nullable SpanExport start(Config config, VertxBuilder builder, MeterRegistry registry) {
        Config.TracingSettings settings = config.tracing();
        String endpoint = settings.endpoint();
        if (endpoint == null) {
            return null;
        }
        Map<String, String> headers = new HashMap<>();
        settings.headers().forEach((name, values) -> headers.put(name, String.join(",", values)));
        SpanExport export = new SpanExport(
                endpoint,
                headers,
                Map.of(
                        "service.name",
                        "plumbline",
                        "service.version",
                        Version.text(),
                        "service.instance.id",
                        config.cluster().enabled()
                                ? config.cluster().host() + ":"
                                        + config.cluster().port()
                                : config.http().host() + ":" + config.http().port()));
        count(registry, export, "exported", SpanExport::exported);
        count(registry, export, "dropped", SpanExport::dropped);
        count(registry, export, "failed", SpanExport::failed);
        Gauge.builder("plumbline.trace.spans.queued", export, SpanExport::queued)
                .description("Spans that wait to be sent to the collector")
                .register(registry);
        SpanTracer tracer = new SpanTracer(
                new Tracer(settings.ratio(), settings.targets(), export),
                new ClientAddress(config.http().trustedProxies())::isTrusted);
        builder.withTracer(options -> tracer);
        return export;
    }

    private static void count(
            MeterRegistry registry, SpanExport export, String outcome, ToDoubleFunction<SpanExport> spans) {
        FunctionCounter.builder("plumbline.trace.spans", export, spans)
                .description("Spans of traces, by outcome")
                .tag("outcome", outcome)
                .register(registry);
    }
}
