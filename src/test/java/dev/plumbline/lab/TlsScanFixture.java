package dev.plumbline.lab;

import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.config.Config;
import dev.plumbline.egress.EgressGuard;
import dev.plumbline.egress.LabEgressGuard;
import dev.plumbline.probe.starttls.StartTlsProbe;
import dev.plumbline.probe.tls.TlsProbe;
import dev.plumbline.probe.tls.TlsScanner;
import dev.plumbline.result.CheckResult;
import dev.plumbline.support.Await;
import dev.plumbline.support.TestCheckContext;
import dev.plumbline.target.InvalidTargetException;
import dev.plumbline.target.Target;
import dev.plumbline.target.TargetParser;
import dev.plumbline.target.TargetRules;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.Map;

/** Runs modules that scan TLS servers. */
public final class TlsScanFixture implements AutoCloseable {
    private final Vertx vertx = Vertx.vertx();
    private final DnsLab dns = DnsLab.start();
    private final TlsProbe tls;
    private final TlsScanner scan;

    private TlsScanFixture() {
        EgressGuard guard = LabEgressGuard.of(vertx, HttpFixture.policy(List.of("127.0.0.0/8"), List.of("*")), dns);
        tls = new TlsProbe(vertx, guard);
        scan = new TlsScanner(vertx, guard, tls);
    }

    public static TlsScanFixture start() {
        return new TlsScanFixture();
    }

    /** The resolver of the probes. */
    public DnsLab dns() {
        return dns;
    }

    public Vertx vertx() {
        return vertx;
    }

    /** Runs a module for a target and checks its result against the contract. */
    public <E> CheckResult check(ModuleDefinition<E> module, String target, Map<String, ?> options, long millis) {
        TestCheckContext base = TestCheckContext.of(module.description(), options);
        TestCheckContext context = base.withDeadline(millis)
                .withRequests(module.requests(base.options()))
                .withProbe(TlsProbe.class, tls)
                .withProbe(TlsScanner.class, scan)
                .withProbe(StartTlsProbe.class, new StartTlsProbe(vertx, tls));
        return ModuleExecution.run(
                vertx, module, parsed(module.description().targetRules(context.options()), target), context);
    }

    /** Like {@link #check}, with a rate limit, for a client that waits at most 1 ms for a permit. */
    public <E> CheckResult checkWithRateLimit(
            ModuleDefinition<E> module, String target, Map<String, ?> options, Config.OutboundLimit limit) {
        EgressGuard guard =
                LabEgressGuard.of(vertx, HttpFixture.policy(List.of("127.0.0.0/8"), List.of("*")), dns, limit);
        TestCheckContext base = TestCheckContext.of(module.description(), options);
        TestCheckContext context = base.withRequests(module.requests(base.options()))
                .withProbe(TlsScanner.class, new TlsScanner(vertx, guard, new TlsProbe(vertx, guard)))
                .maxWait(1);
        return ModuleExecution.run(vertx, module, parsed(module.description(), target), context);
    }

    private static Target parsed(TargetRules rules, String target) {
        try {
            return TargetParser.parse(rules, target);
        } catch (InvalidTargetException invalid) {
            throw new AssertionError(target, invalid);
        }
    }

    @Override
    public void close() {
        Await.value(vertx.close());
        dns.close();
    }
}
