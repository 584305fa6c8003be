package dev.plumbline.trace.export;

import dev.plumbline.trace.FinishedSpan;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.common.ComponentLoader;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporterBuilder;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.common.export.HttpSenderProvider;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * Sends spans to a collector with OTLP over HTTP, in batches and on its own thread. A span that does not fit into the
 * queue is dropped, so the caller never waits, and batches are not sent again. The collector is a part of the
 * configuration of the operator and not a target: the egress guard does not apply to it.
 */
public final class SpanExport implements Consumer<FinishedSpan>, AutoCloseable {
    /** About 10 MiB. */
    private static final int MAX_QUEUED = 8_192;

    private static final int MAX_BATCH = 512;
    private static final Duration PAUSE = Duration.ofSeconds(1);
    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final Duration LOG_PERIOD = Duration.ofMinutes(1);

    /** The service may wait this long for a collector at its end. */
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);

    /** Provides {@link CollectorSender} instead of a sender on the class path. */
    private static final ComponentLoader SENDERS = new ComponentLoader() {
        @Override
        public <T> Iterable<T> load(Class<T> type) {
            return type == HttpSenderProvider.class
                    ? List.of(type.cast((HttpSenderProvider) CollectorSender::new))
                    : ServiceLoader.load(type);
        }
    };

    private static final org.slf4j.Logger LOG = LoggerFactory.getLogger(SpanExport.class);

    /** The library logs each failed batch. Held, because the JDK forgets the level of an unused logger. */
    private static final Logger LIBRARY_LOG = Logger.getLogger("io.opentelemetry");

    private final BlockingQueue<FinishedSpan> queue = new ArrayBlockingQueue<>(MAX_QUEUED);
    private final String endpoint;
    private final Map<String, String> headers;
    private final Map<String, String> resource;
    private final AtomicLong exported = new AtomicLong();
    private final AtomicLong dropped = new AtomicLong();
    private final AtomicLong failed = new AtomicLong();
    private final Thread worker;
    private long rejectionLoggedNanos = System.nanoTime() - LOG_PERIOD.toNanos();
    private long errorLoggedNanos = rejectionLoggedNanos;
    private volatile boolean closed;

    /**
     * @param endpoint the URL for traces, such as {@code http://127.0.0.1:4318/v1/traces}
     * @param headers of each request; can contain secrets
     * @param resource the attributes of this process
     */
    public SpanExport(String endpoint, Map<String, String> headers, Map<String, String> resource) {
        this.endpoint = endpoint;
        this.headers = Map.copyOf(headers);
        this.resource = Map.copyOf(resource);
        this.worker = new Thread(this::run, "plumbline-trace-export");
        worker.setDaemon(true);
        worker.start();
    }

    @Override
    public void accept(FinishedSpan span) {
        if (closed || !queue.offer(span)) {
            dropped.incrementAndGet();
        }
    }

    /** The spans that the collector accepted. */
    public long exported() {
        return exported.get();
    }

    /** The spans that did not fit into the queue. */
    public long dropped() {
        return dropped.get();
    }

    /** The spans that the collector did not accept, or that were not sent because of an internal error. */
    public long failed() {
        return failed.get();
    }

    /** The spans that wait to be sent. */
    public int queued() {
        return queue.size();
    }

    private void run() {
        LIBRARY_LOG.setLevel(Level.OFF);
        try (OtlpHttpSpanExporter exporter = exporter()) {
            Resource attributes = resource();
            while (!closed || !queue.isEmpty()) {
                List<FinishedSpan> batch = nextBatch();
                try {
                    send(exporter, batch, attributes);
                } catch (RuntimeException | LinkageError unexpected) {
                    logError(batch, unexpected);
                }
            }
        } catch (InterruptedException closing) {
            // the rest of the queue is lost
        } catch (RuntimeException | LinkageError unexpected) {
            closed = true;
            LOG.atError().addKeyValue("endpoint", endpoint).setCause(unexpected).log("span export not started");
        }
    }

    private OtlpHttpSpanExporter exporter() {
        OtlpHttpSpanExporterBuilder builder = OtlpHttpSpanExporter.builder()
                .setEndpoint(endpoint)
                .setTimeout(TIMEOUT)
                .setConnectTimeout(TIMEOUT)
                .setCompression("gzip")
                .setRetryPolicy(null)
                .setComponentLoader(SENDERS);
        headers.forEach(builder::addHeader);
        return builder.build();
    }

    private Resource resource() {
        AttributesBuilder attributes = Attributes.builder();
        resource.forEach(attributes::put);
        return Resource.create(attributes.build());
    }

    /** Waits for a span, then for others that follow within the pause. */
    private List<FinishedSpan> nextBatch() throws InterruptedException {
        List<FinishedSpan> batch = new ArrayList<>();
        long end = System.nanoTime() + PAUSE.toNanos();
        while (batch.size() < MAX_BATCH) {
            long remaining = end - System.nanoTime();
            @Nullable
            FinishedSpan next = closed || remaining <= 0 ? queue.poll() : queue.poll(remaining, TimeUnit.NANOSECONDS);
            if (next == null) {
                return batch;
            }
            batch.add(next);
        }
        return batch;
    }

    private void send(OtlpHttpSpanExporter exporter, List<FinishedSpan> batch, Resource attributes)
            throws InterruptedException {
        if (batch.isEmpty()) {
            return;
        }
        List<SpanData> records = new ArrayList<>();
        batch.forEach(span -> records.add(SpanRecord.of(span, attributes)));
        CompletableResultCode result = exporter.export(records);
        if (Thread.interrupted()) {
            throw new InterruptedException();
        }
        if (result.isSuccess()) {
            exported.addAndGet(batch.size());
            return;
        }
        failed.addAndGet(batch.size());
        long now = System.nanoTime();
        if (now - rejectionLoggedNanos >= LOG_PERIOD.toNanos()) {
            rejectionLoggedNanos = now;
            Throwable cause = result.getFailureThrowable();
            LOG.atWarn()
                    .addKeyValue("endpoint", endpoint)
                    .addKeyValue("spans", batch.size())
                    .addKeyValue("cause", String.valueOf(cause == null ? null : cause.getCause()))
                    .log("spans not exported");
        }
    }

    /** Logs an error of this service, which must not end the export of later spans. */
    private void logError(List<FinishedSpan> batch, Throwable unexpected) {
        failed.addAndGet(batch.size());
        long now = System.nanoTime();
        if (now - errorLoggedNanos >= LOG_PERIOD.toNanos()) {
            errorLoggedNanos = now;
            LOG.atError()
                    .addKeyValue("spans", batch.size())
                    .setCause(unexpected)
                    .log("span export failed because of an internal error");
        }
    }

    /** Sends the queued spans, if the collector accepts them in two seconds. */
    @Override
    public void close() {
        closed = true;
        try {
            worker.join(CLOSE_TIMEOUT.toMillis());
            worker.interrupt();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
