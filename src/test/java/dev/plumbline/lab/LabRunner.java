package dev.plumbline.lab;

import dev.plumbline.bus.Message;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.config.Config;
import dev.plumbline.config.ConfigLoader;
import dev.plumbline.result.CheckResult;
import dev.plumbline.run.CheckRunner;
import dev.plumbline.run.TestRunners;
import dev.plumbline.support.Await;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.HashMap;
import java.util.Map;

/** Runs checks as the service does, with the DNS lab and addresses in 127.0.0.0/8, without a cache of results. */
public final class LabRunner implements AutoCloseable {
    private static final ModuleCatalogue MODULES = ModuleCatalogue.load();
    private static final int PERMITS = 64;
    private static final int TIMEOUT_MS = 30_000;

    private final Vertx vertx = Vertx.vertx();
    private final CheckRunner runner;

    private LabRunner(Config config) throws Exception {
        this.runner = TestRunners.builder(vertx, MODULES)
                .config(config)
                .capacity(PERMITS, PERMITS)
                .build();
    }

    /** @param settings environment variables */
    public static LabRunner start(DnsLab dns, Map<String, String> settings) throws Exception {
        Map<String, String> environment = new HashMap<>(Map.of(
                "PLUMBLINE_TARGETS_ALLOW",
                "127.0.0.0/8,192.0.2.0/24",
                "PLUMBLINE_TARGETS_PORTS",
                "*",
                "PLUMBLINE_DNS_SERVERS",
                dns.address()));
        environment.putAll(settings);
        return new LabRunner(ConfigLoader.load(null, environment));
    }

    public CheckResult check(String module, String target) {
        return Await.value(Await.onLoop(
                vertx,
                () -> TestRunners.run(runner, new Message.RunCheck(module, target, Map.of(), false, TIMEOUT_MS, "t"))));
    }

    /** Starts an instant check. */
    public Future<Message.RunReply> start(String module, String target, Map<String, ?> options) {
        return Await.onLoop(
                vertx,
                () -> runner.run(new Message.RunCheck(module, target, Map.copyOf(options), false, TIMEOUT_MS, "t")));
    }

    @Override
    public void close() {
        Await.value(vertx.close());
    }
}
