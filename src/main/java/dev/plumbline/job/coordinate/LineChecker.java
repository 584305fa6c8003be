package dev.plumbline.job.coordinate;

import dev.plumbline.bus.BusAddresses;
import dev.plumbline.bus.Message;
import dev.plumbline.bus.MessageBus;
import dev.plumbline.check.CheckError;
import dev.plumbline.check.CheckResult;
import dev.plumbline.check.ErrorCode;
import dev.plumbline.check.ModuleDescription;
import dev.plumbline.check.ResultAssembler;
import dev.plumbline.result.RenderedResult;
import dev.plumbline.result.ResultLookup;
import io.vertx.core.Future;
import io.vertx.core.eventbus.ReplyException;
import io.vertx.core.eventbus.ReplyFailure;
import java.time.Clock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Has single lines checked, and makes results known. */
final class LineChecker {
    private static final Logger LOG = LoggerFactory.getLogger(LineChecker.class);
    private static final long PATIENCE_MS = 1_000;
    private static final long MARGIN_MS = 5_000;
    private static final int LATER_SECONDS = 1;

    private final MessageBus bus;
    private final ResultLookup known;
    private final ResultWriter writer;
    private final Clock clock;

    LineChecker(MessageBus bus, ResultLookup known, ResultWriter writer, Clock clock) {
        this.bus = bus;
        this.known = known;
        this.writer = writer;
        this.clock = clock;
    }

    /**
     * Checks a line and hands its result to the writer.
     *
     * @return how long until it is worth another try, in milliseconds; 0 when there is a result.
     *     Fails only by a fault of ours
     */
    Future<Long> check(PendingLine line) {
        Chunk chunk = line.chunk();
        Message.RunCheck order = new Message.RunCheck(
                chunk.module().module(),
                line.target().text(),
                chunk.options().given(),
                true,
                PATIENCE_MS,
                "job-" + chunk.id().job() + "-" + line.index(),
                chunk.fresh());
        return bus.ask(
                        BusAddresses.CHECK_RUN,
                        order,
                        Message.RunReply.class,
                        chunk.options().integer(ModuleDescription.TIMEOUT_MS) + MARGIN_MS)
                .transform(reply -> {
                    if (reply.succeeded() && reply.result() instanceof Message.Checked checked) {
                        write(line, checked.result());
                        return Future.succeededFuture(0L);
                    }
                    if (reply.succeeded() && reply.result() instanceof Message.Busy busy) {
                        return Future.succeededFuture(later(line, busy.retryAfterSeconds()));
                    }
                    if (nobodyThere(reply.cause())) {
                        return Future.succeededFuture(later(line, LATER_SECONDS));
                    }
                    LOG.atError()
                            .addKeyValue("request_id", order.requestId())
                            .setCause(reply.cause())
                            .log("line check failed");
                    fail(
                            line,
                            ErrorCode.INTERNAL,
                            "Internal error. See the log for request_id=" + order.requestId() + ".");
                    return Future.succeededFuture(0L);
                });
    }

    private static boolean nobodyThere(Throwable failure) {
        return failure instanceof ReplyException reply && reply.failureType() == ReplyFailure.NO_HANDLERS;
    }

    private long later(PendingLine line, int seconds) {
        if (line.waitedTooLong()) {
            fail(line, ErrorCode.DEADLINE_EXCEEDED, "The line waited 15 minutes for the rate limit of its target.");
            return 0;
        }
        return line.pauseMs(seconds);
    }

    /** A line ends without having been checked. */
    void fail(PendingLine line, ErrorCode code, String message) {
        write(
                line,
                ResultAssembler.failed(
                        line.chunk().module(), line.target(), new CheckError(code, message), clock.instant(), 0));
    }

    private void write(PendingLine line, CheckResult result) {
        if (!line.chunk().lost()) {
            writer.add(
                    line.chunk(),
                    line.index(),
                    result.verdict().id(),
                    RenderedResult.asLine(result),
                    known.shareLine(line.key(), result));
        }
    }
}
