package dev.plumbline.run;

import dev.plumbline.concurrent.SingleFlight;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.RenderedResult;
import dev.plumbline.result.ResultJson;
import dev.plumbline.result.store.ResultCache;
import dev.plumbline.result.store.ResultKey;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.Target;
import dev.plumbline.target.TargetPolicy;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The results of the parts of composite checks: cached under the name of the part, as if it had been requested on its
 * own, except for lines of jobs. Equal parts in progress share one run. Shared by all runners of a node. Thread-safe.
 */
public final class PartResults {
    private final TargetPolicy policy;
    private final @Nullable ResultCache cache;
    private final SingleFlight<Flight, CheckResult> inFlight;

    /** Lines of jobs are not shared with instant checks, which have priority. */
    private record Flight(ResultKey key, boolean bulk, boolean fresh) {}

    /** @param cache null if results are not cached */
    public PartResults(Vertx vertx, TargetPolicy policy, @Nullable ResultCache cache) {
        this.policy = policy;
        this.cache = cache;
        this.inFlight = new SingleFlight<>(
                vertx, outcome -> outcome.failed() || outcome.result().cacheable());
    }

    /** Returns why a target is rejected before any lookup; null if it is allowed. */
    @Nullable
    String refusal(Target target, Options options) {
        return policy.refusal(target, options.connectTo());
    }

    /** The result in memory, or null. */
    @Nullable
    CheckResult findInMemory(ResultKey key) {
        return cache == null ? null : parsed(cache.findInMemory(key));
    }

    /**
     * Returns the cached result, or runs the part and caches its result, unless it belongs to a line of a job.
     *
     * @param bulk whether the composite check is a line of a job
     * @param fresh whether cached results are not used
     * @param run does not fail
     */
    Future<CheckResult> findOrRun(ResultKey key, boolean bulk, boolean fresh, Supplier<Future<CheckResult>> run) {
        return inFlight.run(new Flight(key, bulk, fresh), () -> {
            // the shared run can have ended before this part joined
            CheckResult ended = fresh ? null : findInMemory(key);
            if (ended != null) {
                return Future.succeededFuture(ended);
            }
            return findStored(key, bulk, fresh)
                    .compose(stored -> stored != null
                            ? Future.succeededFuture(stored)
                            : run.get().map(result -> add(key, result, bulk)));
        });
    }

    private Future<@Nullable CheckResult> findStored(ResultKey key, boolean bulk, boolean fresh) {
        if (cache == null || fresh) {
            return Future.succeededFuture(null);
        }
        Future<@Nullable RenderedResult> found = bulk ? cache.findStoredForJob(key) : cache.findStored(key);
        // without the database, parts run again
        return found.map(PartResults::parsed).otherwise((CheckResult) null);
    }

    private CheckResult add(ResultKey key, CheckResult result, boolean bulk) {
        if (cache != null && result.cacheable() && !bulk) {
            cache.add(key, ResultJson.write(result), result.checkedAt(), true);
        }
        // equal to a cached result
        CheckResult normalized = ResultJson.normalize(result);
        return result.cacheable() ? normalized : normalized.incomplete();
    }

    /** Stores the result of a part of a line of a job for other lines if it is cacheable. */
    void store(ResultKey key, CheckResult result) {
        if (cache != null && result.cacheable()) {
            cache.addStored(key, ResultJson.write(result), result.checkedAt());
        }
    }

    private static @Nullable CheckResult parsed(@Nullable RenderedResult result) {
        try {
            return result == null ? null : result.parse();
        } catch (IllegalArgumentException otherVersion) {
            return null;
        }
    }
}
