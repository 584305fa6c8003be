package dev.plumbline.module.dns.nameservers;

import com.google.auto.service.AutoService;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.CheckModule;
import dev.plumbline.check.RegisteredModule;
import dev.plumbline.module.dns.record.DnsRecordRow;
import dev.plumbline.module.reference.DanglingReferences;
import dev.plumbline.module.reference.DanglingReferences.Reference;
import dev.plumbline.probe.dns.DnsProbe;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.sheet.NullOnError;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.Target;
import io.vertx.core.Future;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Name;

/** Compares the delegation of a zone with what its nameservers return. */
@AutoService(RegisteredModule.class)
public final class Nameservers implements CheckModule<NameserverEvidence, Nameservers.Report, Nameservers.Findings> {

    /** The fields of the report. Beside an error, the booleans can be null. */
    public record Report(
            List<Row> servers,
            @NullOnError Boolean parentChildMatch,
            @NullOnError Boolean serialsMatch,
            List<String> lame,
            List<String> openRecursion,
            List<String> zoneTransferOpen,
            int networkCount,
            @NullOnError Boolean tcpOk,
            List<DanglingReferences.Row> danglingReferences) {}

    /** A nameserver. */
    public record Row(
            String name,
            List<String> ips,
            @Nullable Boolean answers,
            @Nullable Boolean authoritative,
            @Nullable Long serial,
            @Nullable Double timeMs,
            @Nullable Boolean recursion) {}

    public interface Findings extends DanglingReferences.Findings {
        void notAZone(String name, String zone);

        void noAuthoritativeServer(String zone);

        void lameDelegation(String zone, List<String> servers);

        void unresponsiveServers(List<String> servers);

        void noAddress(List<String> servers);

        void addressLookupFailed(List<String> servers);

        void privateAddress(List<String> servers);

        void nameserverIsAlias(List<String> servers);

        void missingGlue(String zone, String parent, List<String> servers);

        void glueDiffers(String parent, List<String> servers);

        void missingInZone(String zone, String parent, List<String> servers);

        void missingInParent(String zone, String parent, List<String> servers);

        void nsRecordsDiffer(List<String> servers);

        void serialsDiffer(Set<Long> serials);

        void openRecursion(List<String> servers);

        void zoneTransferOpen(List<String> servers);

        void tcpClosed(List<String> servers);

        void singleNameserver(String zone, String server);

        void sharedAddress(List<String> ips);

        void singleNetwork(List<String> networks);

        void noIpv4(String zone);

        void noIpv6(String zone);

        void ipv6NotTested(List<String> servers);

        void notQueried(int max, List<String> ips);

        void notDelegated(String zone, String parent);

        void delegationDiffers(String zone, String parent, List<String> servers);

        void serverNotListed(String zone, List<String> servers);
    }

    @Override
    public int requests(Options options) {
        return DanglingReferences.requests(options);
    }

    @Override
    public Future<NameserverEvidence> collect(Target target, CheckContext context) {
        Name name = DnsRecordRow.name(target.text());
        List<String> named = context.options().list("servers");
        return context.probe(DnsProbe.class)
                .admitWithoutAddresses(context, target.text())
                .compose(admitted ->
                        named.isEmpty() ? delegated(context, name, name) : named(context.patiently(), name, named))
                .compose(evidence -> DanglingReferences.find(context, danglingServers(evidence))
                        .map(evidence::withDangling));
    }

    private static Stream<Reference> danglingServers(NameserverEvidence evidence) {
        return evidence.servers().stream()
                .flatMap(server ->
                        Reference.of(server.label(), server.addresses().missing()));
    }

    private static Future<NameserverEvidence> delegated(CheckContext context, Name requested, Name zone) {
        return DelegationFinder.find(context, zone).compose(delegation -> switch (delegation.state()) {
            case NXDOMAIN ->
                Future.failedFuture(new CheckFailure(
                        ErrorCode.DNS_NXDOMAIN,
                        "%s does not exist in the zone %s (NXDOMAIN)."
                                .formatted(DnsRecordRow.text(zone), DnsRecordRow.text(delegation.parent()))));
            case NOT_A_ZONE ->
                zone.equals(requested) && delegation.parent().labels() > 2
                        ? delegated(context.patiently(), requested, delegation.parent())
                        : Future.failedFuture(new CheckFailure(
                                ErrorCode.DNS_NO_DATA,
                                "%s is not delegated. The parent zone is %s."
                                        .formatted(DnsRecordRow.text(zone), DnsRecordRow.text(delegation.parent()))));
            default -> {
                NameserverSurvey survey = new NameserverSurvey(context.patiently(), zone);
                yield survey.servers(delegation.servers(), delegation)
                        .compose(servers ->
                                survey.run(new NameserverEvidence(requested, zone, delegation, null, false, servers)));
            }
        });
    }

    /** Queries the servers of the option, before or after a change of the delegation. */
    private static Future<NameserverEvidence> named(CheckContext context, Name zone, List<String> named) {
        NameserverSurvey survey = new NameserverSurvey(context, zone);
        return NamedServerLookups.resolve(context, named)
                .compose(servers -> DelegationFinder.find(context, zone)
                        .map(delegation -> new NameserverEvidence(zone, zone, delegation, null, true, servers))
                        .recover(CheckFailure.otherwise(
                                ErrorCode.TARGET_BLOCKED,
                                error -> new NameserverEvidence(zone, zone, null, error, true, servers))))
                .compose(survey::run);
    }

    @Override
    public @Nullable Report evaluate(NameserverEvidence evidence, Options options, Findings findings) {
        return new NameserverEvaluation(evidence, findings).evaluate();
    }
}
