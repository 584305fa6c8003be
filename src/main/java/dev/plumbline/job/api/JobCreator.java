package dev.plumbline.job.api;

import dev.plumbline.bus.JobMessage.CreateJob;
import dev.plumbline.bus.JobMessage.CreateReply;
import dev.plumbline.bus.JobMessage.JobCreated;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.job.store.JobStore;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.InvalidTargetException;
import dev.plumbline.target.TargetParser;
import dev.plumbline.target.TargetRules;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Creates jobs. */
public final class JobCreator {
    /** Inputs with more characters than this are parsed on a worker thread. */
    private static final int MAX_INLINE_CHARACTERS = 64 << 10;

    private final Vertx vertx;
    private final ModuleCatalogue modules;
    private final JobStore store;
    private final Runnable onCreated;

    /** @param onCreated called after the creation of a job */
    public JobCreator(Vertx vertx, ModuleCatalogue modules, JobStore store, Runnable onCreated) {
        this.vertx = vertx;
        this.modules = modules;
        this.store = store;
        this.onCreated = onCreated;
    }

    public Future<CreateReply> create(CreateJob request) {
        ModuleDefinition<?> module = modules.find(request.module());
        if (module == null) {
            return Future.failedFuture("unknown module: " + request.module());
        }
        return findFirstIndexes(targetRules(module.description(), request), request.items())
                .compose(firstIndexes -> store.create(request, firstIndexes))
                .onSuccess(reply -> {
                    if (reply instanceof JobCreated created && !created.replayed()) {
                        onCreated.run();
                    }
                });
    }

    private static TargetRules targetRules(ModuleDescription module, CreateJob request) {
        Options options = Options.parse(module, request.options()).options();
        return options == null ? module : module.targetRules(options);
    }

    private Future<Integer @Nullable []> findFirstIndexes(TargetRules rules, List<String> items) {
        return items.stream().mapToInt(String::length).sum() <= MAX_INLINE_CHARACTERS
                ? Future.succeededFuture(firstIndexes(rules, items))
                : vertx.executeBlocking(() -> firstIndexes(rules, items));
    }

    /**
     * Per line the index of the first line with the same target; null if all targets differ. Such lines share one
     * result, because 500 equal results of 64 KiB would occupy 32 MiB.
     */
    private static Integer @Nullable [] firstIndexes(TargetRules rules, List<String> items) {
        Map<String, Integer> indexes = new HashMap<>();
        Integer[] firstIndexes = new Integer[items.size()];
        boolean duplicates = false;
        for (int i = 0; i < firstIndexes.length; i++) {
            Integer first = indexes.putIfAbsent(identity(rules, items.get(i)), i);
            firstIndexes[i] = first == null ? Integer.valueOf(i) : first;
            duplicates |= first != null;
        }
        return duplicates ? firstIndexes : null;
    }

    private static String identity(TargetRules rules, String item) {
        try {
            return 't' + TargetParser.parse(rules, item).text();
        } catch (InvalidTargetException invalid) {
            return 'i' + item;
        }
    }
}
