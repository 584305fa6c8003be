package dev.plumbline.lab;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.config.Config;
import dev.plumbline.config.Config.DnsSettings;
import dev.plumbline.dns.DnsResolver;
import dev.plumbline.egress.DnsQueryLimits;
import dev.plumbline.egress.LabEgressGuard;
import dev.plumbline.probe.dns.DnsProbe;
import dev.plumbline.probe.http.HttpProbe;
import dev.plumbline.probe.starttls.StartTlsProbe;
import dev.plumbline.probe.tls.TlsProbe;
import dev.plumbline.result.CheckResult;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.support.Await;
import dev.plumbline.support.ModuleDescriptionBuilder;
import dev.plumbline.support.TestCheckContext;
import dev.plumbline.target.InputType;
import dev.plumbline.target.InvalidTargetException;
import dev.plumbline.target.Target;
import dev.plumbline.target.TargetParser;
import dev.plumbline.target.TargetPolicy;
import dev.plumbline.tls.TrustRoots;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerRequest;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * The HTTP lab and a probe that is permitted to connect to this lab only. As an extension of a test class, it ends with
 * the class: {@code @RegisterExtension static final HttpFixture FIXTURE = HttpFixture.start();}
 */
public final class HttpFixture implements AutoCloseable, AfterAllCallback {
    public static final String USER_AGENT = "Plumbline/test (+https://example.test/contact)";

    /** The hostnames of the lab. */
    public static final List<String> HOSTS = List.of("lab.test", "www.lab.test", "other.test", "lab.github.io");

    private static final ModuleDescription URL =
            ModuleDescriptionBuilder.of("any", "Any", InputType.URL).build();

    private final Vertx vertx;
    private final DnsLab dns;
    private final TestCa root;
    private final HttpLab lab;
    private final HttpProbe probe;
    private final DnsProbe dnsProbe;
    private final StartTlsProbe startTls;

    private HttpFixture(Vertx vertx, DnsLab dns, TestCa root, HttpLab lab) {
        this.vertx = vertx;
        this.dns = dns;
        this.root = root;
        this.lab = lab;
        TargetPolicy loopback = policy(List.of("127.0.0.0/8"), List.of("*"));
        DnsSettings settings = new DnsSettings(List.of(dns.address()), List.of(), Duration.ofSeconds(1), 1_000);
        DnsResolver resolver = new DnsResolver(vertx, settings, loopback, System::nanoTime);
        this.startTls = new StartTlsProbe(vertx, new TlsProbe(vertx, LabEgressGuard.of(vertx, loopback, dns)));
        this.dnsProbe = new DnsProbe(vertx, resolver, Map.of(), loopback, new DnsQueryLimits(vertx, 0));
        HOSTS.forEach(host -> dns.address(host, "127.0.0.1"));
        dns.address(HttpLab.INTERNAL_NAME, HttpLab.CANARY_ADDRESS);
        this.probe = probe(policy(
                List.of(HttpLab.ALLOW),
                lab.ports().stream().map(String::valueOf).toList()));
    }

    public static HttpFixture start() {
        Vertx vertx = Vertx.vertx();
        TestCa root = TestCa.root("Lab Root");
        TestCa.Identity identity =
                root.issue(CertificateSpec.server(HOSTS.toArray(String[]::new)).address("127.0.0.1"));
        HttpLab lab = Await.value(HttpLab.start(vertx, identity.pem(), identity.keyPem()));
        return new HttpFixture(vertx, DnsLab.start(), root, lab);
    }

    public static TargetPolicy policy(List<String> allow, List<String> ports) {
        return new TargetPolicy(new TargetPolicy.Rules(allow, List.of(), List.of(), ports), (address, port) -> false);
    }

    /** A probe with another policy that trusts the root of the lab. */
    public HttpProbe probe(TargetPolicy policy) {
        TrustRoots trust = new TrustRoots(List.of(), List.of(root.certificate()));
        return new HttpProbe(vertx, LabEgressGuard.of(vertx, policy, dns), trust, policy, USER_AGENT);
    }

    /** A probe with a rate limit per address. */
    public HttpProbe probe(TargetPolicy policy, Config.OutboundLimit pace) {
        TrustRoots trust = new TrustRoots(List.of(), List.of(root.certificate()));
        return new HttpProbe(vertx, LabEgressGuard.of(vertx, policy, dns, pace), trust, policy, USER_AGENT);
    }

    /**
     * A probe with a rate limit of DNS queries.
     *
     * @param queriesPerDomain queries per second for names below one domain
     */
    public HttpProbe probe(TargetPolicy policy, int queriesPerDomain) {
        TrustRoots trust = new TrustRoots(List.of(), List.of(root.certificate()));
        return new HttpProbe(vertx, LabEgressGuard.of(vertx, policy, dns, queriesPerDomain), trust, policy, USER_AGENT);
    }

    /** Runs a module for a page of the lab and checks its result against the contract. */
    public CheckResult check(ModuleDefinition<?> module, String pathOrUrl, String query) {
        return check(module, probe, pathOrUrl, query);
    }

    /**
     * Like {@link #check(ModuleDefinition, String, String)}, with another probe.
     *
     * @param query options in the form of a query string; can be empty
     */
    public <E> CheckResult check(ModuleDefinition<E> module, HttpProbe probe, String pathOrUrl, String query) {
        return check(module, probe, url(pathOrUrl), query);
    }

    /** Like {@link #check(ModuleDefinition, HttpProbe, String, String)}, for a domain. */
    public CheckResult checkDomain(ModuleDefinition<?> module, HttpProbe probe, String domain, String query) {
        try {
            return check(module, probe, TargetParser.domainName(domain), query);
        } catch (InvalidTargetException invalid) {
            throw new AssertionError(domain, invalid);
        }
    }

    /** Like {@link #check(ModuleDefinition, HttpProbe, String, String)}, for any target. */
    public <E> CheckResult check(ModuleDefinition<E> module, HttpProbe probe, Target target, String query) {
        Map<String, String> options = new HashMap<>();
        for (String pair : query.isEmpty() ? new String[0] : query.split("&")) {
            options.put(pair.split("=", 2)[0], pair.split("=", 2)[1]);
        }
        ModuleDescription description = module.description();
        TestCheckContext context = TestCheckContext.of(description, options)
                .withDeadline(Long.parseLong(options.getOrDefault("timeout_ms", "10000")))
                .withProbe(HttpProbe.class, probe)
                .withProbe(DnsProbe.class, dnsProbe)
                .withProbe(StartTlsProbe.class, startTls);
        return ModuleExecution.run(vertx, module, target, context);
    }

    /** Of the lab and the probes. */
    public Vertx vertx() {
        return vertx;
    }

    /** The resolver of the probe. */
    public DnsLab dns() {
        return dns;
    }

    public HttpLab lab() {
        return lab;
    }

    public HttpProbe probe() {
        return probe;
    }

    /** A page of the plain server by its path, or any URL. */
    public Target.Url url(String pathOrUrl) {
        try {
            String text = pathOrUrl.startsWith("/") ? lab.http(pathOrUrl) : pathOrUrl;
            return (Target.Url) TargetParser.parse(URL, text);
        } catch (InvalidTargetException invalid) {
            throw new AssertionError(pathOrUrl, invalid);
        }
    }

    /** Starts websites, which end with the lab. */
    public VirtualHosts sites(Map<String, Consumer<HttpServerRequest>> sites) {
        return Await.value(VirtualHosts.start(vertx, dns, sites));
    }

    /** A certificate for localhost that the probe trusts. */
    public TestCa.Identity identity() {
        return root.issue(CertificateSpec.server("lab.test").address("127.0.0.1"));
    }

    /** A certificate for these names and 127.0.0.1 that the probe trusts. */
    public TestCa.Identity identity(String... names) {
        return root.issue(CertificateSpec.server(names).address("127.0.0.1"));
    }

    /** A port of 127.0.0.1 on which no process listens. */
    public int closedPort() {
        return FreePorts.next();
    }

    /** Asserts that no probe has connected to an address that is not allowed, and closes the lab. */
    @Override
    public void afterAll(ExtensionContext context) {
        try {
            assertThat(lab.canaryConnections()).isZero();
        } finally {
            close();
        }
    }

    @Override
    public void close() {
        Await.value(vertx.close());
        dns.close();
    }
}
