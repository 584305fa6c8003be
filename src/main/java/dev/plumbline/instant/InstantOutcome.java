package dev.plumbline.instant;

import dev.plumbline.bus.Message;
import dev.plumbline.result.LimitWait;
import dev.plumbline.result.RenderedResult;
import dev.plumbline.sheet.Options;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The outcome of a request for an instant check. */
public sealed interface InstantOutcome {

    /**
     * The check completed.
     *
     * @param charge null if nothing was charged
     * @param limitWait the wait for limits of targets; null if the result is cached
     */
    record Completed(RenderedResult result, @Nullable Charge charge, @Nullable LimitWait limitWait)
            implements InstantOutcome {
        static Completed cached(RenderedResult result) {
            return new Completed(result, null, null);
        }

        /** Whether this request ran the check. */
        public boolean fresh() {
            return limitWait != null;
        }

        /** The quota after the charge; null if nothing was charged. */
        public Message.@Nullable Granted quota() {
            return charge == null ? null : charge.quota();
        }
    }

    /**
     * A charge of a quota.
     *
     * @param quota the quota after the charge
     */
    record Charge(String policy, Message.Granted quota) {}

    record UnknownModule(String module) implements InstantOutcome {}

    record InvalidTarget(String detail) implements InstantOutcome {}

    record InvalidOptions(List<Options.Fault> faults) implements InstantOutcome {}

    /**
     * The target policy does not permit the target or the address of an option; nothing was sent.
     *
     * @param parameter {@code target} or the name of the option
     */
    record TargetBlocked(String parameter, String detail) implements InstantOutcome {}

    /** The request was sent by a check. */
    record LoopDetected() implements InstantOutcome {}

    /** The result is not cached, and the request does not permit a run. */
    record NotCached() implements InstantOutcome {}

    record QuotaExceeded(String policy, Message.Denied quota) implements InstantOutcome {}

    /**
     * A limit of the service or of the target was reached. Charged only if the check has contacted its target.
     *
     * @param detail a sentence
     */
    record Overloaded(String detail, int retryAfterSeconds) implements InstantOutcome {}

    /** A component is unavailable. Nothing was charged unless the runner did not reply. */
    record Unavailable(String detail) implements InstantOutcome {}
}
