package dev.plumbline.job.coordinate;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.OverloadFailure;
import dev.plumbline.result.Consequence;
import dev.plumbline.result.Evaluation;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Level;
import dev.plumbline.sheet.FindingCode;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.sheet.Options;
import dev.plumbline.support.Descriptions;
import dev.plumbline.support.ModuleDescriptionBuilder;
import dev.plumbline.target.InputType;
import dev.plumbline.target.Target;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A module whose targets determine the outcome: {@code warn.…} and {@code fail.…} return this verdict, {@code hold.…}
 * waits for the test, {@code slow.…} passes after 300 ms, {@code busy.…} is rejected the first time, {@code late.…} is
 * rejected when the test decides, {@code throw.…} throws, {@code poison.…} crashes the node, {@code freeze.…} blocks
 * its event loop until the test releases it; all others pass.
 */
public final class ScriptedModule implements ModuleDefinition<String> {
    public static final String NAME = "scripted";

    private static final ModuleDescription DESCRIPTION = ModuleDescriptionBuilder.of(NAME, "Scripted", InputType.DOMAIN)
            .fields(Descriptions.string("text", "Text", "The target."))
            .findings(new FindingCode(
                    "said",
                    "Said",
                    Level.WARN,
                    "text",
                    "The target says so.",
                    "Nothing.",
                    "RFC 2606",
                    0,
                    Consequence.RECOMMENDED,
                    List.of()))
            .build();

    private final List<String> started = Collections.synchronizedList(new ArrayList<>());
    private final Map<String, Long> accounts = new ConcurrentHashMap<>();
    private final Map<String, Promise<String>> held = new ConcurrentHashMap<>();
    private final CountDownLatch thaw = new CountDownLatch(1);
    private final String sign;
    private volatile Runnable onPoison = () -> {};

    public ScriptedModule() {
        this("");
    }

    /** @param sign marker in the results */
    ScriptedModule(String sign) {
        this.sign = sign;
    }

    void onPoison(Runnable die) {
        onPoison = die;
    }

    void thaw() {
        thaw.countDown();
    }

    /** Every checked target, once per check. */
    public List<String> started() {
        synchronized (started) {
            return List.copyOf(started);
        }
    }

    /** The account of the job of each checked target. */
    public Map<String, Long> accounts() {
        return Map.copyOf(accounts);
    }

    public void release(String target) {
        held.computeIfAbsent(target, missing -> Promise.promise()).tryComplete(target);
    }

    @Override
    public ModuleDescription description() {
        return DESCRIPTION;
    }

    @Override
    public Future<String> collect(Target target, CheckContext context) {
        String text = target.text();
        boolean first = !started.contains(text);
        started.add(text);
        accounts.put(text, context.account());
        if (text.startsWith("hold.")) {
            return held.computeIfAbsent(text, missing -> Promise.promise()).future();
        }
        if (text.startsWith("slow.")) {
            return Vertx.currentContext()
                    .owner()
                    .timer(300, TimeUnit.MILLISECONDS)
                    .map(text);
        }
        if (text.startsWith("poison.")) {
            onPoison.run();
            return Promise.<String>promise().future();
        }
        if (text.startsWith("freeze.")) {
            freeze();
        }
        if (text.startsWith("busy.") && first) {
            return noRoom();
        }
        if (text.startsWith("late.") && first) {
            return held.computeIfAbsent(text, missing -> Promise.promise())
                    .future()
                    .compose(told -> noRoom());
        }
        if (text.startsWith("throw.")) {
            throw new IllegalStateException("a fault that the test wants");
        }
        return Future.succeededFuture(text);
    }

    private static Future<String> noRoom() {
        return Future.failedFuture(new OverloadFailure("full", Duration.ofSeconds(1)));
    }

    private void freeze() {
        try {
            thaw.await();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public Evaluation evaluate(String evidence, Options options) {
        List<Finding> findings = new ArrayList<>();
        if (evidence.startsWith("warn.") || evidence.startsWith("fail.")) {
            findings.add(new Finding(
                    evidence.startsWith("warn.") ? Level.WARN : Level.FAIL,
                    "said",
                    "text",
                    "It says so.",
                    "Nothing.",
                    "RFC 2606"));
        }
        return new Evaluation(Map.of("text", evidence + sign), findings, null);
    }
}
