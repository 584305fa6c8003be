package dev.plumbline.http.api.job;

import dev.plumbline.http.Gzip;
import dev.plumbline.http.RequestId;
import dev.plumbline.http.ResponseBodies;
import dev.plumbline.http.problem.ProblemException;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Streams rows as a response body, page by page. The next page is read after the previous one has been written, so a
 * slow client holds at most one page.
 */
final class BodyStream<T> {
    private static final Logger LOG = LoggerFactory.getLogger(BodyStream.class);

    /** The rows of a body, and their format. */
    interface Rows<T> {
        /** Writes the text before the first row. */
        void begin(Buffer out);

        /** Whether there may be another page. */
        boolean hasNext();

        /** Reads the next page of rows, which can be empty. */
        Future<List<T>> next();

        /** Writes a row, if the response contains it. */
        void write(Buffer out, T row);

        /** Writes the text after the last row. */
        void end(Buffer out);

        /** The number of rows in the response so far. */
        int written();

        /** Stops reading pages in advance. Called when the response has ended or the connection is closed. */
        default void close() {}

        /** Whether the body is a compressed format, so that it has no content coding. */
        default boolean isCompressed() {
            return false;
        }
    }

    private static final int CHUNK_BYTES = 64 * 1024;

    private final RoutingContext ctx;
    private final HttpServerResponse response;
    private final Rows<T> rows;
    private final long writeTimeoutMs;
    private final Runnable head;
    private final Promise<Void> sent = Promise.promise();

    private boolean started;
    private Iterator<T> page = Collections.emptyIterator();
    private long writeTimer = -1;
    private Buffer chunk = Buffer.buffer();
    private @Nullable Gzip gzip;

    /**
     * @param writeTimeoutMs the write timeout, in milliseconds
     * @param head sets status and headers; called before the first chunk is written
     */
    BodyStream(RoutingContext ctx, Rows<T> rows, long writeTimeoutMs, Runnable head) {
        this.ctx = ctx;
        this.response = ctx.response();
        this.rows = rows;
        this.writeTimeoutMs = writeTimeoutMs;
        this.head = head;
    }

    /**
     * Sends the rows as the response body. Resets the stream if reading fails after the first chunk.
     *
     * @return fails if nothing was sent; {@code head} was not called then
     */
    Future<Void> send() {
        ctx.addEndHandler(end -> release());
        guarded(() -> {
            rows.begin(chunk);
            nextPage();
        });
        return sent.future();
    }

    /** Releases buffers when the response has ended or the connection has closed. */
    private void release() {
        ctx.vertx().cancelTimer(writeTimer);
        rows.close();
        page = Collections.emptyIterator();
        chunk = Buffer.buffer();
        if (gzip != null) {
            gzip.close();
        }
        sent.tryComplete();
    }

    private void nextPage() {
        if (!rows.hasNext()) {
            finish();
            return;
        }
        rows.next()
                .onSuccess(read -> guarded(() -> {
                    page = read.iterator();
                    render();
                }))
                .onFailure(this::fail);
    }

    private void render() {
        while (page.hasNext()) {
            rows.write(chunk, page.next());
            if (chunk.length() >= CHUNK_BYTES) {
                write(this::render);
                return;
            }
        }
        page = Collections.emptyIterator();
        if (started && chunk.length() > 0 && rows.hasNext()) {
            write(this::nextPage);
        } else {
            nextPage();
        }
    }

    private void write(Runnable then) {
        start(true);
        Buffer part = gzip == null ? chunk : gzip.write(chunk);
        if (part.length() > 0) {
            response.write(part);
        }
        chunk = Buffer.buffer();
        if (response.writeQueueFull()) {
            writeTimer = ctx.vertx().setTimer(writeTimeoutMs, timeout -> response.reset());
            response.drainHandler(drained -> {
                response.drainHandler(null);
                ctx.vertx().cancelTimer(writeTimer);
                guarded(then);
            });
        } else {
            // yields to other tasks of the event loop
            ctx.vertx().runOnContext(resumed -> guarded(then));
        }
    }

    private void start(boolean chunked) {
        if (started) {
            return;
        }
        started = chunked;
        head.run();
        if (!rows.isCompressed() && chunk.length() >= Gzip.MIN_BYTES) {
            ResponseBodies.addVary(response, "Accept-Encoding");
            if (Gzip.accepted(ctx.request())) {
                response.putHeader("Content-Encoding", "gzip");
                gzip = new Gzip();
            }
        }
        response.setChunked(chunked);
    }

    private void finish() {
        rows.end(chunk);
        start(false);
        Buffer last = gzip == null ? chunk : gzip.finish(chunk);
        if (started) {
            ResponseBodies.endParts(ctx, last);
        } else {
            response.end(last);
        }
        sent.tryComplete();
    }

    /** Runs a step unless the connection is closed. */
    private void guarded(Runnable step) {
        if (response.closed() || response.ended()) {
            sent.tryComplete();
            return;
        }
        try {
            step.run();
        } catch (RuntimeException e) {
            fail(e);
        }
    }

    /** Resets the stream, which signals an incomplete body. */
    private void fail(Throwable cause) {
        if (started && !response.ended()) {
            LOG.atWarn()
                    .addKeyValue("request_id", RequestId.of(ctx))
                    .addKeyValue("rows", rows.written())
                    .setCause(cause instanceof ProblemException ? null : cause)
                    .log("result stream aborted");
            response.reset();
            sent.tryComplete();
        } else {
            sent.tryFail(cause);
        }
    }
}
