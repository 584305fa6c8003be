package dev.plumbline.bus;

import dev.plumbline.result.LimiterKind;
import dev.plumbline.result.TargetLimit;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Permits of rate limiters that another node owns. All messages are one-way and can be lost. */
public sealed interface PermitMessage extends Message {

    /**
     * Requests of a node to the owner of the keys.
     *
     * @param holder the name of the requesting node
     */
    @BusAddress("permit.request")
    record PermitRequests(String holder, List<PermitRequest> requests) implements PermitMessage {}

    /**
     * A request for a permit.
     *
     * @param id of the request and of its permit, chosen by the holder; unique for the holder
     * @param account the account of the line of a job; 0 for an instant check
     * @param maxWaitMs maximum time in the queue of the owner, in milliseconds; 0 to not wait
     * @param remainingMs when the holder releases the permit at the latest, in milliseconds from now
     */
    record PermitRequest(long id, LimiterKind kind, String key, long account, long maxWaitMs, long remainingMs) {}

    /**
     * Decisions of an owner.
     *
     * @param owner the name of the deciding node
     */
    @BusAddress("permit.decision")
    record PermitDecisions(String owner, List<PermitDecision> decisions) implements PermitMessage {}

    /**
     * The decision about a request.
     *
     * @param id of the request
     * @param retryAfterSeconds at least 1 if the request is rejected, otherwise 0
     * @param limitedBy the type of the limit that delayed or rejected the request; null if there is none
     */
    record PermitDecision(
            long id, PermitOutcome outcome, int retryAfterSeconds, TargetLimit.@Nullable Type limitedBy) {}

    enum PermitOutcome {
        /** The queue is full or the wait would be too long. */
        REJECTED,
        /** The holder has the permit until it releases it. */
        GRANTED,
        /** The node does not own the key. */
        MOVED
    }

    /**
     * Releases permits, and cancels requests without a decision.
     *
     * @param holder the name of the node that requested the permits
     */
    @BusAddress("permit.release")
    record PermitReleases(String holder, List<Long> ids) implements PermitMessage {}
}
