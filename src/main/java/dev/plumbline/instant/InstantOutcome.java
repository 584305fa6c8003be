package dev.plumbline.instant;

import dev.plumbline.bus.Message;
import dev.plumbline.check.Options;
import dev.plumbline.result.RenderedResult;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** How a request for an instant check can end. */
public sealed interface InstantOutcome {

    /**
     * There is a result.
     *
     * @param fresh whether this caller had it run, and was charged
     * @param quota what the charge was answered with; null when nothing was charged
     */
    record Answered(RenderedResult answer, boolean fresh, Message.@Nullable Granted quota) implements InstantOutcome {}

    record UnknownModule(String module) implements InstantOutcome {}

    record InvalidTarget(String detail) implements InstantOutcome {}

    record BadOptions(List<Options.Fault> faults) implements InstantOutcome {}

    /** The target itself is forbidden; no packet has left. */
    record NotAllowed(String detail) implements InstantOutcome {}

    /** A check of this service asks for a check: a loop. */
    record Loop() implements InstantOutcome {}

    /** Nothing is known, and nobody was to find out. */
    record NotKnown() implements InstantOutcome {}

    record OverQuota(Message.Denied quota) implements InstantOutcome {}

    /** No room just now; nothing was charged. */
    record NoRoom(int retryAfterSeconds) implements InstantOutcome {}

    /**
     * Something that is needed is away. Nothing was charged, unless a check had begun and its runner
     * fell silent.
     */
    record Unavailable(String detail) implements InstantOutcome {}
}
