package dev.plumbline.check;

import dev.plumbline.sheet.FindingCollector;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.Target;
import io.vertx.core.Future;
import org.jspecify.annotations.Nullable;

/**
 * A module: the code of one check. All text and declarations are in its sheet, a YAML file with the module's identifier
 * as its name ({@code TcpPort} → {@code tcp-port.yaml}) in the same package of the resources. {@link SheetModule}
 * verifies at load that class and sheet agree.
 *
 * <p>An implementation is stateless, has a public constructor without parameters and is registered with
 * {@link java.util.ServiceLoader} as a {@link RegisteredModule}.
 *
 * @param <E> the evidence: an immutable record of everything that was collected
 * @param <R> the report: a record whose components are the declared fields in camel case
 * @param <F> the findings: an interface with one method per declared finding code in camel case, whose parameters are
 *     the placeholders of its message and action
 */
public interface CheckModule<E, R extends Record, F extends FindingCollector> extends RegisteredModule {

    /**
     * The maximum number of outbound requests of one check with these options. A value above {@link RequestBudget.MAX}
     * needs an option by which the caller requests it, except for a composite, whose parts share it.
     */
    default int requests(Options options) {
        return RequestBudget.MAX;
    }

    /**
     * Does all I/O, through the probes of the context.
     *
     * @return the evidence; fails with {@link CheckFailure} if the exchange did not complete and left no evidence, and
     *     with {@link OverloadFailure} if the service has no capacity
     */
    Future<E> collect(Target target, CheckContext context);

    /**
     * Evaluates the evidence. Pure: it does not block and does not read a clock.
     *
     * @param findings receives the findings, and the error if the exchange did not complete
     * @return the report; null only if {@code findings} received an error, all fields are null then
     */
    @Nullable
    R evaluate(E evidence, Options options, F findings);
}
