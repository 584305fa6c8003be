package dev.plumbline.lab;

import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.ResultAssembler;
import dev.plumbline.http.api.tool.ResultContract;
import dev.plumbline.result.CheckResult;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.support.Await;
import dev.plumbline.support.TestCheckContext;
import dev.plumbline.target.Target;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Instant;

/** Runs a module without the service and checks its result against the contract of the module. */
public final class ModuleExecution {
    private ModuleExecution() {}

    public static <E> CheckResult run(
            Vertx vertx, ModuleDefinition<E> module, Target target, TestCheckContext context) {
        return runIn(vertx, module, target, context.withTarget(target.host()));
    }

    /** As {@link #run}, with the budget of the context. */
    public static <E> CheckResult runIn(
            Vertx vertx, ModuleDefinition<E> module, Target target, TestCheckContext context) {
        ModuleDescription description = module.description();
        CheckResult result = Await.value(Await.onLoop(vertx, () -> module.collect(target, context))
                .map(evidence -> ResultAssembler.assemble(
                        description, target, module.evaluate(evidence, context.options()), Instant.now(), 0))
                .recover(failure -> failure instanceof CheckFailure known
                        ? Future.succeededFuture(
                                ResultAssembler.failed(description, target, known.error(), Instant.now(), 0))
                        : Future.failedFuture(failure)));
        ResultContract.assertHolds(description, result);
        return result;
    }
}
