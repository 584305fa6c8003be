package dev.plumbline.instant;

import dev.plumbline.bus.Message;
import dev.plumbline.check.Options;
import dev.plumbline.result.RenderedResult;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The outcome of a request for an instant check. */
public sealed interface InstantOutcome {

    /**
     * A result.
     *
     * @param fresh whether this request started the check and was charged
     * @param quota the rate limit after the charge; null if nothing was charged
     */
    record Answered(RenderedResult answer, boolean fresh, Message.@Nullable Granted quota) implements InstantOutcome {}

    record UnknownModule(String module) implements InstantOutcome {}

    record InvalidTarget(String detail) implements InstantOutcome {}

    record BadOptions(List<Options.Fault> faults) implements InstantOutcome {}

    /** The target is not allowed. No packet was sent. */
    record NotAllowed(String detail) implements InstantOutcome {}

    /** The request was sent by a check (request loop). */
    record Loop() implements InstantOutcome {}

    /** No result is cached, and no check was requested. */
    record NotKnown() implements InstantOutcome {}

    record OverQuota(Message.Denied quota) implements InstantOutcome {}

    /** A concurrency limit was reached. Nothing was charged. */
    record NoRoom(int retryAfterSeconds) implements InstantOutcome {}

    /** A dependency is unavailable. Nothing was charged, unless a check has started and timed out. */
    record Unavailable(String detail) implements InstantOutcome {}
}
