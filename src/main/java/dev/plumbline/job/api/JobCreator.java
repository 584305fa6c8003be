package dev.plumbline.job.api;

import dev.plumbline.bus.JobMessage.CreateJob;
import dev.plumbline.bus.JobMessage.CreateReply;
import dev.plumbline.bus.JobMessage.JobCreated;
import dev.plumbline.check.InvalidTargetException;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.ModuleDescription;
import dev.plumbline.check.TargetParser;
import dev.plumbline.job.store.JobStore;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Takes jobs in. */
public final class JobCreator {
    private static final String ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    private static final int TOKEN_LENGTH = 22;

    /** The targets of more text than that are compared beside the event loop, one job at a time. */
    private static final int SHORT_CHARACTERS = 64 << 10;

    private final Vertx vertx;
    private final ModuleCatalogue modules;
    private final JobStore store;
    private final Runnable wake;
    private final SecureRandom random = new SecureRandom();

    /**
     * @param wake told that there is a new job
     */
    public JobCreator(Vertx vertx, ModuleCatalogue modules, JobStore store, Runnable wake) {
        this.vertx = vertx;
        this.modules = modules;
        this.store = store;
        this.wake = wake;
    }

    public Future<CreateReply> create(CreateJob order) {
        ModuleDefinition<?> module = modules.find(order.module());
        if (module == null) {
            return Future.failedFuture("unknown module " + order.module());
        }
        return firstOnes(module.description(), order.items())
                .compose(firsts -> store.create(token(), order, firsts))
                .onSuccess(reply -> {
                    if (reply instanceof JobCreated created && !created.replayed()) {
                        wake.run();
                    }
                });
    }

    private Future<Integer @Nullable []> firstOnes(ModuleDescription module, List<String> items) {
        return items.stream().mapToInt(String::length).sum() <= SHORT_CHARACTERS
                ? Future.succeededFuture(firsts(module, items))
                : vertx.executeBlocking(() -> firsts(module, items));
    }

    /** For each line the index of the first with an equal target; null if all differ. */
    private static Integer @Nullable [] firsts(ModuleDescription module, List<String> items) {
        Map<String, Integer> seen = new HashMap<>();
        Integer[] firsts = new Integer[items.size()];
        boolean equalOnes = false;
        for (int i = 0; i < firsts.length; i++) {
            Integer first = seen.putIfAbsent(identity(module, items.get(i)), i);
            firsts[i] = first == null ? Integer.valueOf(i) : first;
            equalOnes |= first != null;
        }
        return equalOnes ? firsts : null;
    }

    private static String identity(ModuleDescription module, String item) {
        try {
            return 't' + TargetParser.parse(module, item).text();
        } catch (InvalidTargetException invalid) {
            return 'i' + item;
        }
    }

    private String token() {
        StringBuilder token = new StringBuilder("job_");
        for (int i = 0; i < TOKEN_LENGTH; i++) {
            token.append(ALPHABET.charAt(random.nextInt(ALPHABET.length())));
        }
        return token.toString();
    }
}
