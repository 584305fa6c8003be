package dev.plumbline.run;

import dev.plumbline.bus.Message;
import io.vertx.core.Future;
import java.util.function.Function;

/**
 * The state that the runners of a run node share in a cluster.
 *
 * @param capacity counts the lines of jobs
 * @param instantRuns shares the runs of instant checks
 */
public record ClusterRuns(CapacityReporter capacity, InstantRuns instantRuns) {

    Future<Message.RunReply> run(Message.RunCheck check, Function<Message.RunCheck, Future<Message.RunReply>> runner) {
        return check.bulk() ? capacity.count(check, runner) : instantRuns.run(check, runner);
    }
}
