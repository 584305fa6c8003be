package dev.plumbline.lab;

import dev.plumbline.check.CheckResult;
import dev.plumbline.check.InvalidTargetException;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.Target;
import dev.plumbline.check.TargetParser;
import dev.plumbline.config.Config;
import dev.plumbline.egress.EgressGuard;
import dev.plumbline.egress.LabEgressGuard;
import dev.plumbline.probe.tls.TlsProbe;
import dev.plumbline.probe.tls.TlsScanner;
import dev.plumbline.support.Await;
import dev.plumbline.support.TestCheckContext;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.Map;

/** Modules that look at how a server speaks TLS, with the probes they need. */
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

    /** The names that the probes can look up. */
    public DnsLab dns() {
        return dns;
    }

    public Vertx vertx() {
        return vertx;
    }

    /** What a module says of a target, held against what it promises. */
    public <E> CheckResult check(ModuleDefinition<E> module, String target, Map<String, ?> options, long millis) {
        TestCheckContext asked = TestCheckContext.of(module.description(), options);
        TestCheckContext context = asked.withDeadline(millis)
                .withRequests(module.requests(asked.options()))
                .withProbe(TlsProbe.class, tls)
                .withProbe(TlsScanner.class, scan);
        return CheckResults.by(vertx, module, parsed(module, target), context);
    }

    /**
     * The same by a guard that keeps a pace, for a check that has no time to wait before it begins.
     */
    public <E> CheckResult checkAtAPace(
            ModuleDefinition<E> module, String target, Map<String, ?> options, Config.OutboundLimit pace) {
        EgressGuard guard =
                LabEgressGuard.of(vertx, HttpFixture.policy(List.of("127.0.0.0/8"), List.of("*")), dns, pace);
        TestCheckContext asked = TestCheckContext.of(module.description(), options);
        TestCheckContext context = asked.withRequests(module.requests(asked.options()))
                .withProbe(TlsScanner.class, new TlsScanner(vertx, guard, new TlsProbe(vertx, guard)))
                .patient(1);
        return CheckResults.by(vertx, module, parsed(module, target), context);
    }

    private static Target parsed(ModuleDefinition<?> module, String target) {
        try {
            return TargetParser.parse(module.description(), target);
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
