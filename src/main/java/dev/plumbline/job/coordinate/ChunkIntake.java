package dev.plumbline.job.coordinate;

import com.google.common.collect.HashMultiset;
import com.google.common.collect.Multiset;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.job.store.WorkStore;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.RenderedResult;
import dev.plumbline.result.store.ResultCache;
import dev.plumbline.result.store.ResultKey;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.ExceptionMessage;
import dev.plumbline.target.InvalidTargetException;
import dev.plumbline.target.Target;
import dev.plumbline.target.TargetParser;
import dev.plumbline.target.TargetPolicy;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the lines of claimed chunks. Writes the results of those that need no check: invalid, refused, crashed or
 * cached. Confined to an event loop.
 */
final class ChunkIntake {
    private static final Logger LOG = LoggerFactory.getLogger(ChunkIntake.class);

    private final ModuleCatalogue modules;
    private final TargetPolicy policy;
    private final ResultCache results;
    private final ErrorResults errors;
    private final ResultWriter writer;
    private final Consumer<Chunk> onAccepted;
    private final BiConsumer<Chunk, List<PendingLine>> onRead;

    /** Accounts of the lines whose cached results are being looked up. */
    private final Multiset<Long> lookups = HashMultiset.create();

    /**
     * @param onAccepted receives each accepted chunk before its lines are read
     * @param onRead receives the lines of a chunk that must be checked
     */
    ChunkIntake(
            ModuleCatalogue modules,
            TargetPolicy policy,
            ResultCache results,
            ErrorResults errors,
            ResultWriter writer,
            Consumer<Chunk> onAccepted,
            BiConsumer<Chunk, List<PendingLine>> onRead) {
        this.modules = modules;
        this.policy = policy;
        this.results = results;
        this.errors = errors;
        this.writer = writer;
        this.onAccepted = onAccepted;
        this.onRead = onRead;
    }

    /** The number of lines whose cached results are being looked up. */
    int lookups() {
        return lookups.size();
    }

    /** The accounts of these lines. */
    Set<Long> accountsWithLookups() {
        return lookups.elementSet();
    }

    /**
     * Reads a claimed chunk. A chunk of an unknown module is not accepted, so that the reconciliation releases it.
     *
     * @param tick the time of the claim, see {@link ClaimReconciler#tick}
     */
    void accept(WorkStore.ClaimedChunk claimed, long tick) {
        ModuleDefinition<?> module = modules.find(claimed.module());
        if (module == null) {
            return;
        }
        ModuleDescription description = module.description();
        Options options = Options.parse(description, claimed.options()).options();
        Chunk chunk = new Chunk(claimed, description, options == null ? Options.defaults(description) : options, tick);
        onAccepted.accept(chunk);
        if (chunk.finished()) {
            writer.complete(chunk);
            return;
        }
        List<PendingLine> lines = new ArrayList<>();
        for (int i = 0; i < chunk.checks().size(); i++) {
            int index = chunk.checks().get(i);
            if (options == null) {
                writer.add(
                        chunk,
                        index,
                        errors.withoutTarget(
                                chunk,
                                new CheckError(
                                        ErrorCode.INTERNAL,
                                        "The options of the job are no longer valid. Create a new job.")));
                continue;
            }
            PendingLine line = line(chunk, index, chunk.inputs().get(i));
            if (line != null) {
                lines.add(line);
            }
        }
        if (chunk.fresh()) {
            onRead.accept(chunk, lines);
        } else {
            lookups.add(chunk.accountId(), lines.size());
            results.find(lines.stream().map(PendingLine::key).toList()).onComplete((found, failure) -> {
                lookups.remove(chunk.accountId(), lines.size());
                onRead.accept(chunk, failure == null ? withoutCachedResult(lines, found) : lines);
            });
        }
    }

    /** Parses a line; null if its result was written without a check. */
    private @Nullable PendingLine line(Chunk chunk, int index, String input) {
        Target target;
        try {
            target = TargetParser.parse(chunk.module().targetRules(chunk.options()), input);
        } catch (InvalidTargetException invalid) {
            writer.add(
                    chunk,
                    index,
                    errors.withoutTarget(
                            chunk, new CheckError(ErrorCode.INVALID_TARGET, ExceptionMessage.of(invalid))));
            return null;
        } catch (RuntimeException failure) {
            // without a result, the chunk would be claimed again forever
            LOG.atError()
                    .addKeyValue("chunk", chunk.id())
                    .addKeyValue("line", index)
                    .setCause(failure)
                    .log("line parsing failed");
            writer.add(chunk, index, errors.withoutTarget(chunk, CheckError.INTERNAL));
            return null;
        }
        PendingLine line = new PendingLine(
                chunk,
                index,
                target,
                ResultKey.of(chunk.module().module(), target, chunk.options().key()));
        String refusal = policy.refusal(target, chunk.options().connectTo());
        if (refusal != null) {
            writer.add(chunk, index, errors.of(line, new CheckError(ErrorCode.TARGET_BLOCKED, refusal)));
            return null;
        }
        CheckError exhausted = LineChecker.exhausted(line);
        if (exhausted != null) {
            writer.add(chunk, index, errors.of(line, exhausted));
            return null;
        }
        return line;
    }

    private List<PendingLine> withoutCachedResult(List<PendingLine> lines, List<@Nullable RenderedResult> found) {
        List<PendingLine> remaining = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            PendingLine line = lines.get(i);
            RenderedResult result = found.get(i);
            if (result == null) {
                remaining.add(line);
            } else if (!line.chunk().lost()) {
                writer.add(line.chunk(), line.index(), result.verdict(), result.toLine(), null);
            }
        }
        return remaining;
    }
}
