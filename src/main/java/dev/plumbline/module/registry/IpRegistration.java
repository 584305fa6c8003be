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
 * The registration of an IP address at a regional internet registry (RIR), from RDAP. The AS number is reported only if
 * the registry publishes it, because services that map addresses to AS numbers would receive each checked address.
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

        void severalOriginAs(List<Long> numbers);

        void asNameUnknown(long asn, String error);
    }

    /**
     * @param servers the RDAP servers in the order of the redirects; empty if no registry is responsible
     * @param network null if it is not registered
     * @param asName null if it is unknown
     * @param asError why the lookup of the AS number failed; null if it did not fail or was not performed
     */
    public record Evidence(
            InetAddress ip,
            List<String> servers,
            @Nullable NetworkRegistration network,
            @Nullable String asName,
            @Nullable CheckError asError) {}

    @Override
    public Future<Evidence> collect(Target target, CheckContext context) {
        InetAddress ip = Objects.requireNonNull(target.host().literal());
        Future<Optional<RdapResponse>> lookup = SPECIAL_PURPOSE.refusalOf(ip) != null
                ? Future.succeededFuture(Optional.empty())
                : context.probe(RdapProbe.class).lookup(context, ip);
        return lookup.compose(response -> response.isEmpty()
                ? Future.succeededFuture(new Evidence(ip, List.of(), null, null, null))
                : context.executeBlocking(() -> parse(response.get(), ip))
                        .map(network -> new Evidence(ip, response.get().servers(), network, null, null))
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

    /** Adds the name of the AS number, if there is exactly one. */
    private static Future<Evidence> withAsName(CheckContext context, Evidence evidence) {
        NetworkRegistration network = evidence.network();
        if (network == null || network.originAsNumbers().size() != 1) {
            return Future.succeededFuture(evidence);
        }
        long asn = network.originAsNumbers().get(0);
        // A retry of the check would repeat the first request, so wait for the rate limit instead.
        return context.probe(RdapProbe.class)
                .lookup(context.patiently(), asn)
                .compose(response -> response.isEmpty()
                        ? Future.<@Nullable String>succeededFuture(null)
                        : context.executeBlocking(() -> response.get().found()
                                ? RdapNetworkParser.asName(response.get().body(), asn)
                                : null))
                .map(name -> new Evidence(evidence.ip(), evidence.servers(), network, name, null))
                .recover(CheckFailure.otherwise(
                        error -> new Evidence(evidence.ip(), evidence.servers(), network, null, error)));
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
        List<Long> origins = network.originAsNumbers();
        Long asn = origins.size() == 1 ? origins.get(0) : null;
        if (network.reserved()) {
            findings.markedReserved(network.cidr());
        } else if (network.abuseEmail() == null && network.complete()) {
            findings.noAbuseContact(network.cidr());
        }
        if (origins.isEmpty()) {
            findings.originAsUnknown();
        } else if (asn == null) {
            findings.severalOriginAs(origins);
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
