package dev.plumbline.check;

import dev.plumbline.result.Evaluation;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.Target;
import io.vertx.core.Future;

/**
 * A module as the service runs it: its description, its I/O and its evaluation. {@link SheetModule} makes one of a
 * {@link CheckModule} and its sheet.
 *
 * @param <E> the evidence: an immutable record of everything that was collected
 */
public interface ModuleDefinition<E> {

    /** The description; the same object at every call. */
    ModuleDescription description();

    /** The maximum number of outbound requests of one check with these options. */
    default int requests(Options options) {
        return RequestBudget.MAX;
    }

    /** See {@link CheckModule#collect}. */
    Future<E> collect(Target target, CheckContext context);

    /** Evaluates the evidence. Pure: it does not block and does not read a clock. */
    Evaluation evaluate(E evidence, Options options);
}
