package dev.plumbline.lab;

import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.config.Config;
import dev.plumbline.dns.DnsResolver;
import dev.plumbline.egress.DnsQueryLimits;
import dev.plumbline.egress.LabEgressGuard;
import dev.plumbline.probe.dns.DnsProbe;
import dev.plumbline.probe.dns.NameserverProbe;
import dev.plumbline.result.CheckResult;
import dev.plumbline.support.Await;
import dev.plumbline.support.TestCheckContext;
import dev.plumbline.target.InvalidTargetException;
import dev.plumbline.target.IpAddressText;
import dev.plumbline.target.TargetParser;
import dev.plumbline.target.TargetPolicy;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Nameservers on port 53 of loopback addresses in two networks, and a resolver that serves fixed records. */
public final class NameserverFixture implements AutoCloseable {
    /** The networks of the nameservers and of hosts; the policy permits them like public addresses. */
    private static final List<String> NETWORKS =
            List.of("127.15.0.0/16", "127.16.0.0/16", "127.17.0.0/16", "192.0.2.0/24");

    /** Test JVMs that run at the same time have different networks. */
    private static final int JVM = FreePorts.jvmNumber();

    private static final TargetPolicy POLICY = new TargetPolicy(
            new TargetPolicy.Rules(NETWORKS, List.of(), List.of("corp.example"), List.of("53")),
            (address, port) -> false);

    /** Each server has its own address, because a port cannot be bound again at once. */
    private static final AtomicInteger LAST_BYTE = new AtomicInteger(49);

    private final Vertx vertx = Vertx.vertx();
    private final DnsLab resolver = DnsLab.start();
    private final Map<String, DnsLab> servers = new ConcurrentHashMap<>();

    public DnsLab resolver() {
        return resolver;
    }

    /** An address without a server, alternately in both networks. */
    public String address() {
        int number = LAST_BYTE.incrementAndGet();
        return "127." + (number % 2 == 0 ? 16 : 17) + "." + JVM + "." + (50 + number / 2 % 200);
    }

    /** Starts a server at an address. Without a behavior, it is a resolver that serves its own records. */
    public DnsLab serve(String address, DnsLab.@Nullable Behavior behavior) {
        DnsLab server = DnsLab.start(IpAddressText.parse(address), 53).behave(behavior);
        servers.put(address, server);
        return server;
    }

    /** Starts the nameserver of a zone that contains other zones, and makes it known to the resolver. */
    public void serveParent(String zone, DnsLab.Behavior behavior) {
        String address = address();
        serve(address, behavior);
        resolver.record(zone + ". 300 IN NS ns." + zone + "-parent.test.")
                .address("ns." + zone + "-parent.test", address);
    }

    /** The number of queries that all nameservers received. */
    public int queries() {
        return servers.values().stream().mapToInt(DnsLab::queries).sum();
    }

    /**
     * Runs a module and checks its result against the contract.
     *
     * @param options by name
     */
    public CheckResult check(ModuleDefinition<?> module, String domain, Map<String, ?> options) {
        return check(module, resolver.address(), domain, options);
    }

    /** Like {@link #check(ModuleDefinition, String, Map)}, with one more probe. */
    public <P> CheckResult check(
            ModuleDefinition<?> module, String domain, Map<String, ?> options, Class<P> type, P probe) {
        return run(module, domain, context(module, resolver.address(), options).withProbe(type, probe));
    }

    /** @param server in the format of {@code dns.servers} */
    public CheckResult check(ModuleDefinition<?> module, String server, String domain, Map<String, ?> options) {
        return run(module, domain, context(module, server, options));
    }

    private TestCheckContext context(ModuleDefinition<?> module, String server, Map<String, ?> options) {
        Config.DnsSettings settings =
                new Config.DnsSettings(List.of(server), List.of(), Duration.ofMillis(1_500), 1_000);
        DnsResolver ofCheck = new DnsResolver(vertx, settings, POLICY, System::nanoTime);
        Map<String, Object> given = new HashMap<>(options);
        return TestCheckContext.of(module.description(), given)
                .withProbe(DnsProbe.class, new DnsProbe(vertx, ofCheck, Map.of(), POLICY, new DnsQueryLimits(vertx, 0)))
                .withProbe(
                        NameserverProbe.class,
                        new NameserverProbe(vertx, LabEgressGuard.of(vertx, POLICY, server), POLICY));
    }

    private CheckResult run(ModuleDefinition<?> module, String domain, TestCheckContext context) {
        try {
            return ModuleExecution.run(vertx, module, TargetParser.parse(module.description(), domain), context);
        } catch (InvalidTargetException invalid) {
            throw new AssertionError(domain, invalid);
        }
    }

    @Override
    public void close() {
        Await.value(vertx.close());
        servers.values().forEach(DnsLab::close);
        resolver.close();
    }
}
