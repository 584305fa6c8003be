package dev.plumbline.lab;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.config.Config;
import dev.plumbline.dns.DnsResolver;
import dev.plumbline.egress.DnsQueryLimits;
import dev.plumbline.egress.EgressGuard;
import dev.plumbline.egress.RateLimiterFactory;
import dev.plumbline.module.tls.SslCertificate;
import dev.plumbline.probe.certificate.CertificateProbe;
import dev.plumbline.probe.certificate.RevocationProbe;
import dev.plumbline.probe.dns.DnsProbe;
import dev.plumbline.probe.http.HttpProbe;
import dev.plumbline.probe.tls.TlsProbe;
import dev.plumbline.result.Evaluation;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.support.Await;
import dev.plumbline.support.TestCheckContext;
import dev.plumbline.target.Target;
import dev.plumbline.target.TargetParser;
import dev.plumbline.target.TargetPolicy;
import dev.plumbline.tls.TrustRoots;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The TLS lab, its DNS names and the probes that connect to it. They trust only the root of the lab. */
public final class TlsLabFixture implements AutoCloseable {
    private static final List<String> ALLOWED = List.of("127.0.0.0/8", "::1/128");
    private static final Config.OutboundLimit UNLIMITED = new Config.OutboundLimit(0, 0);

    public final TlsLab lab = new TlsLab();
    public final DnsLab dns = DnsLab.start();
    public final Vertx vertx = Vertx.vertx();
    public final TrustRoots trust = new TrustRoots(List.of(), List.of(lab.root().certificate()));
    public final DnsProbe dnsProbe;
    public final TlsProbe tls;
    public final HttpProbe http;
    public final CertificateProbe certificates;
    private final ModuleDefinition<SslCertificate.Evidence> module = SheetModule.load(new SslCertificate());
    private final Context loop = vertx.getOrCreateContext();

    public TlsLabFixture() {
        for (TlsLab.Server server : lab.servers()) {
            if (!server.host().startsWith("127.")) {
                dns.removeRecords(server.host());
                dns.address(server.host(), "127.0.0.1");
            }
        }
        TargetPolicy policy = new TargetPolicy(
                new TargetPolicy.Rules(ALLOWED, List.of(), List.of(), List.of("*")), (address, port) -> false);
        DnsResolver resolver = new DnsResolver(
                vertx,
                new Config.DnsSettings(List.of(dns.address()), List.of(), Duration.ofSeconds(2), 1000),
                policy,
                System::nanoTime);
        DnsQueryLimits limits = new DnsQueryLimits(vertx, 0);
        EgressGuard guard = new EgressGuard(
                policy,
                resolver,
                limits,
                new Config.TargetSettings(ALLOWED, List.of(), List.of("*"), null, UNLIMITED, UNLIMITED, UNLIMITED, 0),
                RateLimiterFactory.local(vertx));
        dnsProbe = new DnsProbe(vertx, resolver, Map.of(), policy, limits);
        tls = new TlsProbe(vertx, guard);
        http = new HttpProbe(vertx, guard, trust, policy, "plumbline-test");
        certificates = new CertificateProbe(trust, new RevocationProbe(vertx, http));
    }

    public ModuleDescription description() {
        return module.description();
    }

    public TestCheckContext context(Map<String, ?> options) {
        return contextOf(module.description(), options);
    }

    /** The context of another module. */
    public TestCheckContext contextOf(ModuleDescription description, Map<String, ?> options) {
        return TestCheckContext.of(description, options)
                .withProbe(DnsProbe.class, dnsProbe)
                .withProbe(TlsProbe.class, tls)
                .withProbe(CertificateProbe.class, certificates);
    }

    /** Checks a target on an event loop and evaluates the evidence. */
    public Future<Evaluation> check(String target, CheckContext context) {
        Promise<Evaluation> promise = Promise.promise();
        loop.runOnContext(start -> {
            try {
                Target parsed = TargetParser.parse(module.description(), target);
                module.collect(parsed, context)
                        .map(evidence -> module.evaluate(evidence, context.options()))
                        .onComplete(promise);
            } catch (Exception invalid) {
                promise.fail(invalid);
            }
        });
        return promise.future();
    }

    public Evaluation evaluate(String target, Map<String, ?> options) {
        return Await.value(check(target, context(options)));
    }

    /** Checks a server of the lab. */
    public Evaluation evaluate(String server) {
        TlsLab.Server found = lab.server(server);
        return evaluate(found.host() + ":" + found.port(), found.optionMap());
    }

    @Override
    public void close() {
        Await.value(vertx.close());
        dns.close();
        lab.close();
    }
}
