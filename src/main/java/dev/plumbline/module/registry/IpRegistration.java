package dev.plumbline.module.registry;

import com.google.auto.service.AutoService;
import com.google.common.collect.Lists;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.CheckModule;
import dev.plumbline.check.RegisteredModule;
import dev.plumbline.probe.registry.NetworkRegistration;
import dev.plumbline.probe.registry.RdapNetworkParser;
import dev.plumbline.probe.registry.RdapProbe;
import dev.plumbline.probe.registry.RdapResponse;
import dev.plumbline.probe.routing.OriginProbe;
import dev.plumbline.probe.routing.OriginProbe.Origins;
import dev.plumbline.probe.routing.Route;
import dev.plumbline.result.CheckError;
import dev.plumbline.sheet.FindingCollector;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.Target;
import dev.plumbline.target.TargetPolicy;
import io.vertx.core.Future;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The registration of an IP address at a regional internet registry (RIR), from RDAP. The AS number is that of the
 * zones of the operator, or the one that the registry publishes: services that map addresses to AS numbers receive each
 * checked address, so the operator selects them.
 */
@AutoService(RegisteredModule.class)
public final class IpRegistration
        implements CheckModule<IpRegistration.Evidence, IpRegistration.Report, IpRegistration.Findings> {
    /** Rejects special-purpose addresses only. */
    private static final TargetPolicy SPECIAL_PURPOSE =
            new TargetPolicy(new TargetPolicy.Rules(List.of(), List.of(), List.of(), List.of()), (ip, port) -> false);

    private static final Map<String, String> REGISTRIES = Map.of(
            "afrinic.net", "AFRINIC",
            "apnic.net", "APNIC",
            "arin.net", "ARIN",
            "lacnic.net", "LACNIC",
            "ripe.net", "RIPE NCC");

    public record Report(
            @Nullable String cidr,
            @Nullable String name,
            @Nullable String org,
            @Nullable String country,
            @Nullable String rir,
            @Nullable String abuseEmail,
            @Nullable Long asn,
            @Nullable String asName,
            boolean reserved) {}

    public interface Findings extends FindingCollector {
        void specialPurpose(InetAddress ip);

        void notAllocated(InetAddress ip);

        void notRegistered(InetAddress ip, String server);

        void markedReserved(String cidr);

        void noAbuseContact(String cidr);

        void originAsUnknown();

        void originLookupFailed(String error);

        void notAnnounced(InetAddress ip);

        void severalOriginAs(List<Long> numbers);

        void asNameUnknown(long asn, String error);
    }

    /**
     * @param servers the RDAP servers in the order of the redirects; empty if no registry is responsible
     * @param network null if it is not registered
     * @param origins of the address; null if the operator did not configure a zone for it
     * @param asName null if it is unknown
     * @param asError why the lookup of the AS number failed; null if it did not fail or was not performed
     */
    public record Evidence(
            InetAddress ip,
            List<String> servers,
            @Nullable NetworkRegistration network,
            @Nullable Origins origins,
            @Nullable String asName,
            @Nullable CheckError asError) {
        /** The AS numbers that announce the most specific route of the address; empty if they are unknown. */
        List<Long> originAsNumbers() {
            if (origins != null) {
                return origins.mostSpecific().stream()
                        .map(Route::asn)
                        .distinct()
                        .toList();
            }
            return network != null ? network.originAsNumbers() : List.of();
        }

        private Evidence withAsName(@Nullable String name, @Nullable CheckError error) {
            return new Evidence(ip, servers, network, origins, name, error);
        }
    }

    @Override
    public Future<Evidence> collect(Target target, CheckContext context) {
        InetAddress ip = Objects.requireNonNull(target.host().literal());
        Future<Optional<RdapResponse>> lookup = SPECIAL_PURPOSE.refusalOf(ip) != null
                ? Future.succeededFuture(Optional.empty())
                : context.probe(RdapProbe.class).lookup(context, ip);
        return lookup.compose(response -> response.isEmpty()
                ? Future.succeededFuture(new Evidence(ip, List.of(), null, null, null, null))
                : context.executeBlocking(() -> parse(response.get(), ip))
                        .compose(network -> origins(context, ip, network)
                                .map(origins ->
                                        new Evidence(ip, response.get().servers(), network, origins, null, null)))
                        .compose(evidence -> withAsName(context, evidence)));
    }

    private static @Nullable NetworkRegistration parse(RdapResponse response, InetAddress ip) throws CheckFailure {
        if (!response.found()) {
            return null;
        }
        NetworkRegistration network = RdapNetworkParser.network(response.body(), ip);
        if (network == null) {
            throw response.invalid("this address");
        }
        return network.coversAllAddresses() ? null : network;
    }

    private static Future<@Nullable Origins> origins(
            CheckContext context, InetAddress ip, @Nullable NetworkRegistration network) {
        OriginProbe probe = context.probe(OriginProbe.class);
        return network == null || !probe.supports(ip)
                ? Future.<@Nullable Origins>succeededFuture(null)
                : probe.lookup(context, ip).map(found -> found);
    }

    /** Adds the name of the AS number, if there is exactly one. */
    private static Future<Evidence> withAsName(CheckContext context, Evidence evidence) {
        List<Long> numbers = evidence.originAsNumbers();
        if (evidence.network() == null || numbers.size() != 1) {
            return Future.succeededFuture(evidence);
        }
        long asn = numbers.get(0);
        // A retry of the check would repeat the first request, so wait for the rate limit instead.
        return context.probe(RdapProbe.class)
                .lookup(context.patiently(), asn)
                .compose(response -> response.isEmpty()
                        ? Future.<@Nullable String>succeededFuture(null)
                        : context.executeBlocking(() -> response.get().found()
                                ? RdapNetworkParser.asName(response.get().body(), asn)
                                : null))
                .map(name -> evidence.withAsName(name, null))
                .recover(CheckFailure.otherwise(error -> evidence.withAsName(null, error)));
    }

    @Override
    public Report evaluate(Evidence evidence, Options options, Findings findings) {
        NetworkRegistration network = evidence.network();
        InetAddress ip = evidence.ip();
        List<String> servers = evidence.servers();
        if (network == null) {
            boolean reserved = servers.isEmpty();
            if (SPECIAL_PURPOSE.refusalOf(ip) != null) {
                findings.specialPurpose(ip);
            } else if (reserved) {
                findings.notAllocated(ip);
            } else {
                findings.notRegistered(ip, servers.get(servers.size() - 1));
            }
            return new Report(null, null, null, null, registry(servers), null, null, null, reserved);
        }
        List<Long> numbers = evidence.originAsNumbers();
        Long asn = numbers.size() == 1 ? numbers.get(0) : null;
        if (network.reserved()) {
            findings.markedReserved(network.cidr());
        } else if (network.abuseEmail() == null && network.complete()) {
            findings.noAbuseContact(network.cidr());
        }
        Origins origins = evidence.origins();
        if (origins != null && origins.error() != null) {
            findings.originLookupFailed(origins.error().message());
        } else if (origins != null && numbers.isEmpty()) {
            findings.notAnnounced(ip);
        } else if (numbers.isEmpty()) {
            findings.originAsUnknown();
        } else if (asn == null) {
            findings.severalOriginAs(numbers);
        } else if (evidence.asError() != null) {
            findings.asNameUnknown(asn, evidence.asError().message());
        }
        return new Report(
                network.cidr(),
                network.name(),
                network.org(),
                network.country(),
                registry(servers),
                network.abuseEmail(),
                asn,
                evidence.asName(),
                network.reserved());
    }

    /**
     * The RIR of the last server in its domain: national registries are below a RIR, and a RIR redirects requests for
     * transferred addresses to another one.
     */
    private static @Nullable String registry(List<String> servers) {
        return Lists.reverse(servers).stream()
                .flatMap(server -> REGISTRIES.keySet().stream().filter(domain -> server.endsWith("." + domain)))
                .findFirst()
                .map(REGISTRIES::get)
                .orElse(null);
    }
}
