package dev.plumbline.lab;

import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.config.Config;
import dev.plumbline.dns.DnsResolver;
import dev.plumbline.egress.DnsQueryLimits;
import dev.plumbline.egress.EgressGuard;
import dev.plumbline.egress.LabEgressGuard;
import dev.plumbline.egress.RateLimiterFactory;
import dev.plumbline.probe.dns.DnsProbe;
import dev.plumbline.probe.http.HttpProbe;
import dev.plumbline.probe.registry.RdapBootstrap;
import dev.plumbline.probe.registry.RdapProbe;
import dev.plumbline.probe.registry.WhoisProbe;
import dev.plumbline.probe.routing.OriginProbe;
import dev.plumbline.probe.tcp.TcpProbe;
import dev.plumbline.result.CheckResult;
import dev.plumbline.support.Await;
import dev.plumbline.support.TestCheckContext;
import dev.plumbline.target.InvalidTargetException;
import dev.plumbline.target.Target;
import dev.plumbline.target.TargetParser;
import dev.plumbline.target.TargetPolicy;
import dev.plumbline.tls.TrustRoots;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** WHOIS and RDAP servers on loopback, and the probes that query them. */
public final class RegistryFixture implements AutoCloseable {
    private final Vertx vertx = Vertx.vertx();
    private final DnsLab dns = DnsLab.start();
    private final WhoisLab iana = WhoisLab.start(vertx, "127.0.0.1", FreePorts.next());
    private final Map<String, Consumer<HttpServerRequest>> pages = new ConcurrentHashMap<>();
    private final List<String> rdapPaths = new CopyOnWriteArrayList<>();
    private final HttpServer rdap;
    private final TargetPolicy policy = HttpFixture.policy(List.of("127.0.0.0/8"), List.of("*"));
    private final EgressGuard guard = LabEgressGuard.of(vertx, policy, dns);
    private final HttpProbe http;
    private final WhoisProbe whoisProbe;
    private final DnsProbe dnsProbe;
    private Map<String, List<String>> originZones = Map.of();
    private int lastAddress = 1;
    private final RdapProbe rdapProbe;

    /**
     * @param folder folder for the list of RDAP servers
     * @param tlds top-level domains with an RDAP server
     */
    public RegistryFixture(Path folder, String... tlds) {
        this(folder, new Config.OutboundLimit(0, 0), tlds);
    }

    /** @param limit rate limit of each registry */
    public RegistryFixture(Path folder, Config.OutboundLimit limit, String... tlds) {
        rdap = Await.value(vertx.createHttpServer()
                .requestHandler(request -> {
                    rdapPaths.add(request.path());
                    pages.getOrDefault(
                                    request.path(),
                                    other -> other.response().setStatusCode(404).end())
                            .accept(request);
                })
                .listen(0, "127.0.0.1"));
        dns.address("rdap.registry.test", "127.0.0.1").address("whois.iana.test", "127.0.0.1");
        http = new HttpProbe(vertx, guard, new TrustRoots(List.of(), List.of()), policy, "lab");
        Config.RegistrySettings settings = settings(folder, limit, tlds);
        RateLimiterFactory limiters = RateLimiterFactory.local(vertx);
        try {
            rdapProbe = new RdapProbe(http, new RdapBootstrap(vertx, http, settings), settings, limiters);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
        whoisProbe = new WhoisProbe(vertx, guard, settings, limiters);
        Config.DnsSettings resolver =
                new Config.DnsSettings(List.of(dns.address()), List.of(), Duration.ofMillis(700), 0);
        dnsProbe = new DnsProbe(
                vertx,
                new DnsResolver(vertx, resolver, policy, System::nanoTime),
                Map.of(),
                policy,
                new DnsQueryLimits(vertx, 0));
    }

    /** Sets the zones of {@code asn.zones}. */
    public RegistryFixture origins(Map<String, List<String>> zones) {
        originZones = zones;
        return this;
    }

    public DnsLab dns() {
        return dns;
    }

    private Config.RegistrySettings settings(Path folder, Config.OutboundLimit limit, String... tlds) {
        try {
            Path list = Files.writeString(folder.resolve("dns.json"), RdapNetworks.bootstrap(base(), tlds));
            Files.writeString(
                    folder.resolve("ipv4.json"),
                    RdapNetworks.bootstrap(base("rdap.arin.net"), "8.0.0.0/8", "193.0.0.0/8"));
            Files.writeString(
                    folder.resolve("ipv6.json"), RdapNetworks.bootstrap(base("rdap.db.ripe.net"), "2001:600::/23"));
            Files.writeString(folder.resolve("asn.json"), RdapNetworks.bootstrap(base("rdap.arin.net"), "15000-16000"));
            dns.address("rdap.arin.net", "127.0.0.1").address("rdap.db.ripe.net", "127.0.0.1");
            return new Config.RegistrySettings("whois.iana.test:" + iana.port(), list.toString(), limit);
        } catch (IOException unwritable) {
            throw new UncheckedIOException(unwritable);
        }
    }

    /** The base URL of the RDAP server. */
    public String base() {
        return base("rdap.registry.test");
    }

    /** The base URL of the RDAP server by another name. */
    public String base(String host) {
        return "http://" + host + ":" + rdap.actualPort() + "/rdap/";
    }

    public Vertx vertx() {
        return vertx;
    }

    public HttpProbe http() {
        return http;
    }

    public WhoisProbe whoisProbe() {
        return whoisProbe;
    }

    public WhoisLab iana() {
        return iana;
    }

    /** The paths of the received RDAP requests. */
    public List<String> rdapPaths() {
        return rdapPaths;
    }

    /** Starts the WHOIS server of a top-level domain, and adds a referral to it at IANA. */
    public WhoisLab registry(String tld) {
        String name = "whois." + tld + ".test";
        WhoisLab server = whois(name);
        iana.respond(tld, "domain: %s\n\nwhois: %s:%d\n".formatted(tld, name, server.port()));
        return server;
    }

    /** Starts a WHOIS server with this name, on the port to which referrals are permitted. */
    public WhoisLab whois(String name) {
        String address = "127.0.0." + ++lastAddress;
        dns.address(name, address);
        return WhoisLab.start(vertx, address, iana.port());
    }

    /** Adds a name that resolves to 127.0.0.1. */
    public void name(String name) {
        dns.address(name, "127.0.0.1");
    }

    /** Sets the RDAP response for a path. */
    public void page(String path, int status, String body) {
        page(path, request -> request.response().setStatusCode(status).end(body));
    }

    public void page(String path, Consumer<HttpServerRequest> behavior) {
        pages.put(path, behavior);
    }

    /** Runs a module for a domain and checks its result against the contract. */
    public <E> CheckResult check(ModuleDefinition<E> module, String domain, Map<String, ?> options, long millis) {
        return check(module, new Target.Domain(domain), options, millis);
    }

    /** Like {@link #check(ModuleDefinition, String, Map, long)}, with a limit of outbound requests. */
    public <E> CheckResult checkWithRequests(
            ModuleDefinition<E> module, String domain, Map<String, ?> options, int requests) {
        TestCheckContext context = TestCheckContext.of(module.description(), options)
                .withRequests(requests)
                .withProbe(RdapProbe.class, rdapProbe)
                .withProbe(WhoisProbe.class, whoisProbe);
        return ModuleExecution.run(vertx, module, new Target.Domain(domain), context);
    }

    /** Like {@link #check(ModuleDefinition, String, Map, long)}, for another type of target. */
    public <E> CheckResult check(ModuleDefinition<E> module, Target target, Map<String, ?> options, long millis) {
        TestCheckContext context = TestCheckContext.of(module.description(), options)
                .withDeadline(millis)
                .withProbe(OriginProbe.class, new OriginProbe(dnsProbe, originZones))
                .withProbe(RdapProbe.class, rdapProbe)
                .withProbe(WhoisProbe.class, whoisProbe);
        return ModuleExecution.run(vertx, module, target, context);
    }

    /**
     * Like {@link #check}, for a module that also queries a resolver, connects to mail servers or requests pages.
     *
     * @param resolver in the format of {@code dns.servers}; the hosts of requests are those of {@link #name}
     */
    public <E> CheckResult checkWithResolver(
            ModuleDefinition<E> module, String resolver, String target, Map<String, ?> options) {
        Config.DnsSettings settings =
                new Config.DnsSettings(List.of(resolver), List.of(), Duration.ofMillis(1_500), 1_000);
        DnsResolver queried = new DnsResolver(vertx, settings, policy, System::nanoTime);
        TestCheckContext context = TestCheckContext.of(module.description(), options)
                .withProbe(RdapProbe.class, rdapProbe)
                .withProbe(WhoisProbe.class, whoisProbe)
                .withProbe(HttpProbe.class, http)
                .withProbe(TcpProbe.class, new TcpProbe(vertx, guard))
                .withProbe(
                        DnsProbe.class, new DnsProbe(vertx, queried, Map.of(), policy, new DnsQueryLimits(vertx, 0)));
        try {
            return ModuleExecution.run(vertx, module, TargetParser.parse(module.description(), target), context);
        } catch (InvalidTargetException invalid) {
            throw new AssertionError(target, invalid);
        }
    }

    /** Like {@link #check}, for a client that waits at most 1 ms for a permit. */
    public <E> CheckResult checkWithoutWaiting(ModuleDefinition<E> module, String domain, Map<String, ?> options) {
        TestCheckContext context = TestCheckContext.of(module.description(), options)
                .withProbe(RdapProbe.class, rdapProbe)
                .withProbe(WhoisProbe.class, whoisProbe)
                .maxWait(1);
        return ModuleExecution.run(vertx, module, new Target.Domain(domain), context);
    }

    @Override
    public void close() {
        Await.value(vertx.close());
        dns.close();
    }
}
