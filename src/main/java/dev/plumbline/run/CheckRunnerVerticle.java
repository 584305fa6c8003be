package dev.plumbline.run;

import dev.plumbline.bus.BusAddresses;
import dev.plumbline.bus.Message;
import dev.plumbline.bus.MessageBus;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import java.util.function.Supplier;

/** Serves {@link BusAddresses#CHECK_RUN} and {@link BusAddresses#CHECK_PING}. One instance per event loop. */
public final class CheckRunnerVerticle extends VerticleBase {
    private final MessageBus bus;
    private final Supplier<CheckRunner> runner;

    /** @param runner creates the runner of this instance on its event loop */
    public CheckRunnerVerticle(MessageBus bus, Supplier<CheckRunner> runner) {
        this.bus = bus;
        this.runner = runner;
    }

    @Override
    public Future<?> start() {
        CheckRunner instance = runner.get();
        return Future.all(
                bus.serve(BusAddresses.CHECK_RUN, Message.RunCheck.class, instance::run)
                        .completion(),
                bus.serve(
                                BusAddresses.CHECK_PING,
                                Message.Ping.class,
                                ping -> Future.succeededFuture(new Message.Done()))
                        .completion());
    }
}
