package dev.plumbline.http.api.job;

import dev.plumbline.bus.JobMessage;
import dev.plumbline.http.RequestIdHandler;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends lines of a job as they are read. The next page is asked for only when what was made of the
 * last has gone out: a reader that is slow holds one page, however much there is.
 */
final class LineStream {
    private static final Logger LOG = LoggerFactory.getLogger(LineStream.class);

    /** Where lines come from. */
    interface Source {
        /** Lines from an index on, without a gap; at least one, and at most so many. */
        Future<List<JobMessage.ResultLine>> read(int from, int most);
    }

    private static final int PAGE_LINES = 100;
    private static final int PIECE_BYTES = 64 * 1024;

    private final RoutingContext ctx;
    private final HttpServerResponse response;
    private final LineWriter format;
    private final Source source;
    private final int to;
    private final long stallMs;
    private final Runnable head;
    private final Promise<Void> sent = Promise.promise();

    private int at;
    private boolean begun;
    private List<JobMessage.ResultLine> page = List.of();
    private int ofPage;
    private long stalled = -1;
    private Buffer piece = Buffer.buffer();

    private LineStream(
            RoutingContext ctx, LineWriter format, Source source, int from, int to, long stallMs, Runnable head) {
        this.ctx = ctx;
        this.response = ctx.response();
        this.format = format;
        this.source = source;
        this.at = from;
        this.to = to;
        this.stallMs = stallMs;
        this.head = head;
    }

    /**
     * Sends lines as the body of the answer, which is cut off when they stop coming midway.
     *
     * @param from index of the first line
     * @param to index behind the last line
     * @param stallMs how long the client may take nothing at all
     * @param head sets status and headers; called when nothing can go wrong any more without the
     *     client seeing it
     * @return fails when nothing has been sent, and then {@code head} was not called
     */
    static Future<Void> send(
            RoutingContext ctx, LineWriter format, Source source, int from, int to, long stallMs, Runnable head) {
        LineStream stream = new LineStream(ctx, format, source, from, to, stallMs, head);
        ctx.addEndHandler(over -> stream.drop());
        stream.guarded(() -> {
            format.begin(stream.piece);
            stream.nextPage();
        });
        return stream.sent.future();
    }

    /** Nothing is held for a client that has gone, or has everything. */
    private void drop() {
        ctx.vertx().cancelTimer(stalled);
        page = List.of();
        ofPage = 0;
        piece = Buffer.buffer();
        sent.tryComplete();
    }

    private void nextPage() {
        if (at >= to) {
            finish();
            return;
        }
        source.read(at, Math.min(PAGE_LINES, to - at))
                .onSuccess(lines -> guarded(() -> {
                    if (lines.isEmpty()) {
                        throw new IllegalStateException("no line where one must be");
                    }
                    page = lines;
                    ofPage = 0;
                    render();
                }))
                .onFailure(this::fail);
    }

    private void render() {
        while (ofPage < page.size() && at < to) {
            format.line(piece, page.get(ofPage++));
            at++;
            if (piece.length() >= PIECE_BYTES) {
                write(this::render);
                return;
            }
        }
        page = List.of();
        if (begun && at < to) {
            write(this::nextPage);
        } else {
            nextPage();
        }
    }

    private void write(Runnable then) {
        begin();
        response.write(piece);
        piece = Buffer.buffer();
        if (response.writeQueueFull()) {
            stalled = ctx.vertx().setTimer(stallMs, late -> response.reset());
            response.drainHandler(drained -> {
                response.drainHandler(null);
                ctx.vertx().cancelTimer(stalled);
                guarded(then);
            });
        } else {
            // others on this event loop have their turn between two pieces
            ctx.vertx().runOnContext(turn -> guarded(then));
        }
    }

    private void begin() {
        if (!begun) {
            begun = true;
            head.run();
            response.setChunked(true);
        }
    }

    private void finish() {
        format.end(piece);
        if (begun) {
            response.end(piece);
            if (response.streamId() < 0 && ctx.request().version() == HttpVersion.HTTP_1_0) {
                // it has no chunks: the end of the connection is the end of the body
                ctx.request().connection().close();
            }
        } else {
            head.run();
            response.end(piece);
        }
        sent.tryComplete();
    }

    /** Does the next step, unless the client has gone. */
    private void guarded(Runnable step) {
        if (response.closed() || response.ended()) {
            sent.tryComplete();
            return;
        }
        try {
            step.run();
        } catch (RuntimeException fault) {
            fail(fault);
        }
    }

    /** A body that is cut off is the only way left to say that it is not whole. */
    private void fail(Throwable cause) {
        if (begun && !response.ended()) {
            LOG.atWarn()
                    .addKeyValue("request_id", RequestIdHandler.of(ctx))
                    .addKeyValue("lines", at)
                    .setCause(cause instanceof JobClient.Refusal ? null : cause)
                    .log("result stream aborted");
            response.reset();
            sent.tryComplete();
        } else {
            sent.tryFail(cause);
        }
    }
}
