package dev.plumbline.run;

import com.google.common.collect.ClassToInstanceMap;
import com.google.common.collect.ImmutableClassToInstanceMap;
import dev.plumbline.config.Config;
import dev.plumbline.config.ConfigException;
import dev.plumbline.dns.DnsResolver;
import dev.plumbline.dnssec.TrustAnchors;
import dev.plumbline.egress.DnsQueryLimits;
import dev.plumbline.egress.EgressGuard;
import dev.plumbline.egress.OwnEndpoints;
import dev.plumbline.egress.RateLimiterFactory;
import dev.plumbline.probe.certificate.CertificateProbe;
import dev.plumbline.probe.certificate.RevocationProbe;
import dev.plumbline.probe.dns.DnsProbe;
import dev.plumbline.probe.dns.DnsblProbe;
import dev.plumbline.probe.dns.DnssecProbe;
import dev.plumbline.probe.dns.NameserverProbe;
import dev.plumbline.probe.dns.PropagationResolvers;
import dev.plumbline.probe.http.HttpProbe;
import dev.plumbline.probe.registry.RdapBootstrap;
import dev.plumbline.probe.registry.RdapProbe;
import dev.plumbline.probe.registry.WhoisProbe;
import dev.plumbline.probe.routing.OriginProbe;
import dev.plumbline.probe.routing.RpkiValidator;
import dev.plumbline.probe.starttls.StartTlsProbe;
import dev.plumbline.probe.tcp.TcpProbe;
import dev.plumbline.probe.tls.TlsProbe;
import dev.plumbline.probe.tls.TlsScanner;
import dev.plumbline.target.ExceptionMessage;
import dev.plumbline.target.TargetPolicy;
import dev.plumbline.tls.TrustRoots;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The target policy and the probes of a process, created from the configuration. */
public record CheckEnvironment(TargetPolicy policy, ClassToInstanceMap<Object> probes) {
    /** Prefix of the User-Agent header of all versions. */
    public static final String PRODUCT = "Plumbline/";

    /**
     * The target policy of the configuration.
     *
     * @param own the listening sockets of the service
     * @throws IllegalArgumentException if a target rule is invalid; the message names it
     */
    public static TargetPolicy policy(Config config, OwnEndpoints own) {
        Config.TargetSettings targets = config.targets();
        return new TargetPolicy(
                new TargetPolicy.Rules(
                        targets.allow(), targets.deny(), config.dns().denySuffixes(), targets.ports()),
                own);
    }

    /**
     * Creates the target policy and the probes of a process that does not listen on sockets.
     *
     * @throws ConfigException if the file of a setting is not valid
     */
    public static CheckEnvironment ofProcess(Vertx vertx, Config config, String version) throws ConfigException {
        return of(vertx, config, policy(config, new OwnEndpoints()), RateLimiterFactory.local(vertx), version);
    }

    /**
     * Creates the probes.
     *
     * @param version of this program
     * @throws ConfigException if the file of a setting is not valid
     */
    public static CheckEnvironment of(
            Vertx vertx, Config config, TargetPolicy policy, RateLimiterFactory limiters, String version)
            throws ConfigException {
        Config.TargetSettings targets = config.targets();
        DnsResolver resolver = new DnsResolver(vertx, config.dns(), policy, System::nanoTime);
        DnsQueryLimits dnsLimits = new DnsQueryLimits(vertx, targets.dnsPerDomainPerSecond());
        EgressGuard guard = new EgressGuard(policy, resolver, dnsLimits, targets, limiters);
        TrustRoots trust = trustRoots(config.tls().extraRoots());
        String agent =
                targets.contact() == null ? PRODUCT + version : PRODUCT + version + " (+" + targets.contact() + ")";
        HttpProbe http = new HttpProbe(vertx, guard, trust, policy, agent);
        TlsProbe tls = new TlsProbe(vertx, guard);
        Config.RegistrySettings registries = config.registries();
        RdapBootstrap bootstrap = bootstrap(vertx, http, registries);
        CertificateProbe certificates = new CertificateProbe(trust, new RevocationProbe(vertx, http));
        DnsProbe dns = new DnsProbe(vertx, resolver, resolvers(vertx, config.dns(), policy), policy, dnsLimits);
        TrustAnchors anchors = TrustAnchors.parse(config.dns().trustAnchors());
        return new CheckEnvironment(
                policy,
                ImmutableClassToInstanceMap.builder()
                        .put(DnsProbe.class, dns)
                        .put(
                                DnsblProbe.class,
                                new DnsblProbe(dns, policy, config.dnsbl().zones()))
                        .put(
                                RpkiValidator.class,
                                new RpkiValidator(vertx, config.rpki().validator(), trust::socketFactory))
                        .put(
                                OriginProbe.class,
                                new OriginProbe(dns, config.asn().zones()))
                        .put(DnssecProbe.class, new DnssecProbe(dns, anchors))
                        .put(
                                PropagationResolvers.class,
                                PropagationResolvers.of(config.dns().propagation()))
                        .put(NameserverProbe.class, new NameserverProbe(vertx, guard, policy))
                        .put(HttpProbe.class, http)
                        .put(TlsProbe.class, tls)
                        .put(StartTlsProbe.class, new StartTlsProbe(vertx, tls))
                        .put(TlsScanner.class, new TlsScanner(vertx, guard, tls))
                        .put(RdapProbe.class, new RdapProbe(http, bootstrap, registries, limiters))
                        .put(WhoisProbe.class, new WhoisProbe(vertx, guard, registries, limiters))
                        .put(CertificateProbe.class, certificates)
                        .put(TcpProbe.class, new TcpProbe(vertx, guard))
                        .build());
    }

    /** Starts the regular tasks of a service. */
    public void schedule(RunnerMetrics metrics) {
        RpkiValidator validator = probes.getInstance(RpkiValidator.class);
        if (validator != null && validator.isConfigured()) {
            metrics.observe(validator);
            validator.schedule();
        }
    }

    private static TrustRoots trustRoots(@Nullable Path extra) throws ConfigException {
        try {
            return TrustRoots.load(extra);
        } catch (IOException invalid) {
            throw ConfigException.ofFile(
                    "tls.extra_roots",
                    Objects.toString(extra, ""),
                    ExceptionMessage.of(invalid),
                    "the path of a PEM file with one or more root certificates");
        }
    }

    private static RdapBootstrap bootstrap(Vertx vertx, HttpProbe http, Config.RegistrySettings registries)
            throws ConfigException {
        try {
            return new RdapBootstrap(vertx, http, registries);
        } catch (IOException | IllegalArgumentException invalid) {
            throw ConfigException.ofFile(
                    "rdap.bootstrap",
                    Objects.toString(registries.rdapBootstrap(), ""),
                    ExceptionMessage.of(invalid),
                    "the URL or the path of an RDAP bootstrap registry (RFC 9224), such as"
                            + " https://data.iana.org/rdap/dns.json");
        }
    }

    private static Map<String, DnsResolver> resolvers(Vertx vertx, Config.DnsSettings dns, TargetPolicy policy) {
        Map<String, DnsResolver> resolvers = new HashMap<>();
        for (String name : dns.resolvers().keySet()) {
            resolvers.put(name, new DnsResolver(vertx, dns.forResolver(name), policy, System::nanoTime));
        }
        return resolvers;
    }
}
