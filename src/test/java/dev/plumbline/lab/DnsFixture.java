package dev.plumbline.lab;

import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.config.Config;
import dev.plumbline.dns.DnsResolver;
import dev.plumbline.dns.LimitedResolver;
import dev.plumbline.dnssec.TrustAnchors;
import dev.plumbline.egress.DnsQueryLimits;
import dev.plumbline.egress.EgressGuard;
import dev.plumbline.egress.LabEgressGuard;
import dev.plumbline.probe.dns.DnsProbe;
import dev.plumbline.probe.dns.DnsblProbe;
import dev.plumbline.probe.dns.DnssecProbe;
import dev.plumbline.probe.routing.OriginProbe;
import dev.plumbline.probe.routing.RpkiValidator;
import dev.plumbline.probe.tcp.TcpProbe;
import dev.plumbline.result.CheckResult;
import dev.plumbline.support.Await;
import dev.plumbline.support.TestCheckContext;
import dev.plumbline.target.Host;
import dev.plumbline.target.InvalidTargetException;
import dev.plumbline.target.Target;
import dev.plumbline.target.TargetParser;
import dev.plumbline.target.TargetPolicy;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.net.InetAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLSocketFactory;
import org.jspecify.annotations.Nullable;

/** The DNS lab and a probe that queries only this lab, for tests of modules. */
public final class DnsFixture implements AutoCloseable {
    /** Documentation addresses (RFC 5737, RFC 3849). The policy of the tests permits them like public addresses. */
    private static final List<String> PUBLIC =
            List.of("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24", "2001:db8::/32");

    /** The zones of {@code dnsbl.zones}. */
    public static final List<String> BLOCKLISTS =
            List.of("bl.test", "second.test", "dead.test", "all.test", "refusing.test", "foreign.test", "broken.test");

    private static final TargetPolicy POLICY = policy("53");

    private final Vertx vertx = Vertx.vertx();
    private final DnsLab dns = DnsLab.start();
    private List<String> anchors = List.of();
    private RpkiValidator validator = validator(null);
    private Map<String, List<String>> originZones = Map.of();

    private DnsFixture() {}

    private static TargetPolicy policy(String ports) {
        return new TargetPolicy(
                new TargetPolicy.Rules(PUBLIC, List.of(), List.of("corp.example"), List.of(ports)),
                (address, port) -> false);
    }

    public static DnsFixture start() {
        return new DnsFixture();
    }

    public DnsLab dns() {
        return dns;
    }

    /** Adds the signed zones of the lab and their trust anchor. */
    public DnsFixture sign() {
        return sign(SignedZones.ofLab("192.0.2.1"));
    }

    /** Adds zones with DNSSEC. The first one is the trust anchor. */
    public DnsFixture sign(SignedZones signed) {
        dns.sign(signed);
        return trust(signed.trustAnchor());
    }

    /** @param anchor in the form of a zone file */
    public DnsFixture trust(String anchor) {
        anchors = List.of(anchor);
        return this;
    }

    /**
     * Sets the RPKI validator.
     *
     * @param source a file or a URL; null for none
     */
    public DnsFixture rpki(@Nullable String source) {
        validator = validator(source);
        return this;
    }

    private RpkiValidator validator(@Nullable String source) {
        return new RpkiValidator(vertx, source, () -> (SSLSocketFactory) SSLSocketFactory.getDefault());
    }

    /** Sets the zones of {@code asn.zones}. */
    public DnsFixture origins(Map<String, List<String>> zones) {
        originZones = zones;
        return this;
    }

    /**
     * Runs a module for a domain of the lab and checks its result against the contract.
     *
     * @param query options in the form of a query string; can be empty
     */
    public CheckResult check(ModuleDefinition<?> module, String domain, String query) {
        return check(module, dns.address(), domain, query);
    }

    /**
     * Like {@link #check(ModuleDefinition, String, String)}, with another server.
     *
     * @param server in the format of {@code dns.servers}
     */
    public CheckResult check(ModuleDefinition<?> module, String server, String domain, String query) {
        Map<String, String> options = new HashMap<>();
        for (String pair : query.isEmpty() ? new String[0] : query.split("&")) {
            options.put(pair.split("=", 2)[0], pair.split("=", 2)[1]);
        }
        DnsResolver resolver = new DnsResolver(vertx, settings(server), POLICY, System::nanoTime);
        return ModuleExecution.run(
                vertx,
                module,
                target(module, domain),
                context(module, options, resolver, LabEgressGuard.of(vertx, POLICY, dns)));
    }

    /** The failure of a module if the number of concurrent DNS queries is limited. */
    public Throwable failure(ModuleDefinition<?> module, int maxConcurrentQueries, String domain, String types) {
        DnsResolver resolver = LimitedResolver.of(vertx, settings(dns.address()), POLICY, maxConcurrentQueries);
        TestCheckContext context =
                context(module, Map.of("types", types), resolver, LabEgressGuard.of(vertx, POLICY, dns));
        return failure(module, domain, context);
    }

    /** The failure of a module if it receives no permit to connect to the target. */
    public Throwable failure(ModuleDefinition<?> module, InetAddress occupied, int port, String domain) {
        TargetPolicy policy = policy("*");
        EgressGuard guard = LabEgressGuard.of(vertx, policy, dns, new Config.OutboundLimit(0, 1));
        Promise<Void> never = Promise.promise();
        Host host = new Host("occupied.test", null);
        Future<Void> held = guard.dial(TestCheckContext.create(), host, occupied, port, pinned -> never.future());
        DnsResolver resolver = new DnsResolver(vertx, settings(dns.address()), policy, System::nanoTime);
        try {
            return failure(
                    module, domain, context(module, Map.of(), resolver, guard).maxWait(50));
        } finally {
            never.complete();
            Await.value(held);
        }
    }

    private Throwable failure(ModuleDefinition<?> module, String domain, TestCheckContext context) {
        return Await.failure(Await.onLoop(
                vertx, () -> module.collect(target(module, domain), context).mapEmpty()));
    }

    private TestCheckContext context(
            ModuleDefinition<?> module, Map<String, String> options, DnsResolver resolver, EgressGuard guard) {
        DnsProbe probe = new DnsProbe(vertx, resolver, Map.of(), POLICY, new DnsQueryLimits(vertx, 0));
        return TestCheckContext.of(module.description(), options)
                .withDeadline(Long.parseLong(options.getOrDefault("timeout_ms", "10000")))
                .withProbe(DnsProbe.class, probe)
                .withProbe(DnsblProbe.class, new DnsblProbe(probe, POLICY, BLOCKLISTS))
                .withProbe(RpkiValidator.class, validator)
                .withProbe(OriginProbe.class, new OriginProbe(probe, originZones))
                .withProbe(DnssecProbe.class, new DnssecProbe(probe, TrustAnchors.parse(anchors)))
                .withProbe(TcpProbe.class, new TcpProbe(vertx, guard));
    }

    private static Target target(ModuleDefinition<?> module, String domain) {
        try {
            return TargetParser.parse(module.description(), domain);
        } catch (InvalidTargetException invalid) {
            throw new AssertionError(domain, invalid);
        }
    }

    private static Config.DnsSettings settings(String server) {
        return new Config.DnsSettings(List.of(server), List.of(), Duration.ofMillis(700), 1_000);
    }

    @Override
    public void close() {
        Await.value(vertx.close());
        dns.close();
    }
}
