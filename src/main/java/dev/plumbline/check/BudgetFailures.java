package dev.plumbline.check;

import dev.plumbline.budget.LimitExceededException;
import dev.plumbline.budget.NodeExhaustedException;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.target.ExceptionMessage;
import java.time.Duration;

/** Failures of checks because of the budgets of the node. */
public final class BudgetFailures {
    private static final Duration RETRY_AFTER = Duration.ofSeconds(1);

    private BudgetFailures() {}

    /** The failure of a check if there is no direct memory for received data. */
    public static OverloadFailure noNetworkMemory() {
        return OverloadFailure.ofNode("The node does not have enough memory for network buffers.", RETRY_AFTER);
    }

    /**
     * Returns the failure of a check: {@code response_too_large} if the check exceeded its own limit, and
     * {@link OverloadFailure} if the node has no memory or CPU time left; any other exception as it is.
     */
    public static Throwable of(Throwable cause) {
        if (cause instanceof LimitExceededException own) {
            return new CheckFailure(ErrorCode.RESPONSE_TOO_LARGE, ExceptionMessage.of(own));
        }
        return cause instanceof NodeExhaustedException node
                ? OverloadFailure.ofNode(ExceptionMessage.of(node), RETRY_AFTER)
                : cause;
    }
}
