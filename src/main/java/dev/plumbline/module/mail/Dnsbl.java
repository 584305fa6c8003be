package dev.plumbline.module.mail;

import static dev.plumbline.sheet.FindingCollector.reportIfAny;

import com.google.auto.service.AutoService;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.CheckModule;
import dev.plumbline.check.RegisteredModule;
import dev.plumbline.probe.dns.DnsProbe;
import dev.plumbline.probe.dns.DnsblLookup;
import dev.plumbline.probe.dns.DnsblProbe;
import dev.plumbline.probe.dns.HostAddresses;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.sheet.FindingCollector;
import dev.plumbline.sheet.NullOnError;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.Host;
import dev.plumbline.target.IpAddressText;
import dev.plumbline.target.PrintableText;
import dev.plumbline.target.Target;
import io.vertx.core.Future;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Type;

/**
 * Looks up the addresses of a host in the DNS blocklists of the operator (RFC 5782). Blocklists of domains are not
 * supported, because their entries and return codes differ.
 */
@AutoService(RegisteredModule.class)
public final class Dnsbl implements CheckModule<Dnsbl.Evidence, Dnsbl.Report, Dnsbl.Findings> {
    static final int MAX_ADDRESSES = 4;

    /** Each needs up to three queries, in total fewer than the limit of a check. */
    private static final int MAX_LOOKUPS = 40;

    private static final int MAX_REASON_CHARACTERS = 500;

    /** The fields of the report. Beside an error, listed can be null. */
    public record Report(
            @NullOnError Boolean listed, int listedCount, int checkedCount, int unansweredCount, List<Row> results) {}

    /** The result of a zone for all addresses. */
    public record Row(String zone, @Nullable Boolean listed, List<String> codes, @Nullable String reason) {}

    public interface Findings extends FindingCollector {
        void noZones();

        void noReliableResponse();

        void unknownZones(List<String> zones);

        void listed(InetAddress ip, String zone, List<String> codes);

        void queriesRefused(List<String> zones);

        void zoneNotReliable(List<String> zones);

        void zoneNotInService(List<String> zones);

        void zoneFailed(List<String> zones);

        void addressesOmitted(int checked, int total);

        void addressLookupFailed();
    }

    /**
     * @param addresses of the host
     * @param complete whether both the A and the AAAA lookup succeeded
     * @param unknownZones the zones of the option that are not zones of the operator
     * @param zones the zones that were queried
     * @param lookups for the first addresses
     */
    public record Evidence(
            List<InetAddress> addresses,
            boolean complete,
            List<String> unknownZones,
            List<String> zones,
            List<DnsblLookup> lookups) {}

    private enum Outcome {
        LISTED,
        NOT_LISTED,
        FAILED,
        /** The zone returned an error code, for example because it does not accept the resolver. */
        REFUSED,
        /** The zone also lists its negative test entry, or returned an address that is not a code. */
        NOT_RELIABLE,
        /** The zone does not list its positive test entry. */
        NOT_IN_SERVICE;

        static Outcome of(DnsblLookup lookup) {
            if (lookup.error() != null) {
                return FAILED;
            }
            if (lookup.codes().isEmpty()) {
                return lookup.reliable() ? NOT_LISTED : NOT_IN_SERVICE;
            }
            if (lookup.codes().stream().anyMatch(Outcome::isRefusal)) {
                return REFUSED;
            }
            return lookup.reliable() && lookup.codes().stream().allMatch(Outcome::isCode) ? LISTED : NOT_RELIABLE;
        }

        /** A code of Spamhaus and SURBL for queries that they reject. */
        private static boolean isRefusal(InetAddress address) {
            byte[] bytes = address.getAddress();
            return bytes[0] == 127 && bytes[1] == -1 && bytes[2] == -1;
        }

        /** RFC 5782 section 2.1; 127.0.0.1 is not a code. */
        private static boolean isCode(InetAddress address) {
            byte[] bytes = address.getAddress();
            return bytes.length == 4 && bytes[0] == 127 && (bytes[1] | bytes[2]) == 0 ? bytes[3] != 1 : bytes[0] == 127;
        }

        boolean answered() {
            return this == LISTED || this == NOT_LISTED;
        }
    }

    @Override
    public Future<Evidence> collect(Target target, CheckContext context) {
        List<String> configured = context.probe(DnsblProbe.class).zones();
        List<String> selected = context.options().list("zones").stream()
                .map(zone -> zone.toLowerCase(Locale.ROOT).replaceAll("\\.$", ""))
                .distinct()
                .toList();
        List<String> zones = selected.isEmpty()
                ? configured
                : configured.stream().filter(selected::contains).toList();
        List<String> unknown =
                selected.stream().filter(zone -> !configured.contains(zone)).toList();
        return addresses(target.host(), context).compose(addresses -> lookups(zones, addresses.ips(), context)
                .map(lookups -> new Evidence(addresses.ips(), addresses.error() == null, unknown, zones, lookups)));
    }

    private static Future<HostAddresses> addresses(Host host, CheckContext context) {
        InetAddress literal = host.literal();
        if (literal != null) {
            return context.probe(DnsblProbe.class).admit(literal).map(HostAddresses.found(List.of(literal)));
        }
        DnsProbe dns = context.probe(DnsProbe.class);
        return dns.admit(context, host.name())
                .compose(admitted -> dns.query(context, host.name(), Type.A))
                .compose(DnsProbe::requireName)
                .compose(response -> dns.addresses(context, host.name()))
                .compose(HostAddresses::requireKnown)
                .compose(addresses -> addresses.ips().isEmpty()
                        ? Future.failedFuture(
                                new CheckFailure(ErrorCode.DNS_NO_DATA, "No A or AAAA record for " + host.name() + "."))
                        : Future.succeededFuture(addresses));
    }

    private static Future<List<DnsblLookup>> lookups(
            List<String> zones, List<InetAddress> addresses, CheckContext context) {
        int most = zones.isEmpty() ? 0 : Math.min(MAX_ADDRESSES, MAX_LOOKUPS / zones.size());
        List<Future<DnsblLookup>> lookups = new ArrayList<>();
        for (InetAddress address : addresses.subList(0, Math.min(addresses.size(), most))) {
            for (String zone : zones) {
                lookups.add(context.probe(DnsblProbe.class).lookup(context, zone, address));
            }
        }
        return Future.all(lookups).map(all -> all.list());
    }

    @Override
    public Report evaluate(Evidence evidence, Options options, Findings findings) {
        reportIfAny(evidence.unknownZones(), findings::unknownZones);
        if (evidence.zones().isEmpty()) {
            if (evidence.unknownZones().isEmpty()) {
                findings.noZones();
            }
            return new Report(false, 0, 0, 0, List.of());
        }
        List<Row> rows = evidence.zones().stream()
                .map(zone -> row(
                        zone,
                        evidence.lookups().stream()
                                .filter(lookup -> lookup.zone().equals(zone))
                                .toList()))
                .toList();
        int listed = (int)
                rows.stream().filter(row -> Boolean.TRUE.equals(row.listed())).count();
        int unanswered = (int) rows.stream().filter(row -> row.listed() == null).count();
        report(evidence, findings);
        CheckError error = unanswered < rows.size()
                ? null
                : evidence.lookups().stream()
                        .flatMap(lookup -> Stream.ofNullable(lookup.error()))
                        .findFirst()
                        .orElse(null);
        findings.error(error);
        if (unanswered == rows.size() && error == null) {
            findings.noReliableResponse();
        }
        return new Report(
                error == null ? (Boolean) (listed > 0) : null, listed, rows.size() - unanswered, unanswered, rows);
    }

    private static Row row(String zone, List<DnsblLookup> lookups) {
        List<DnsblLookup> listed = lookups.stream()
                .filter(lookup -> Outcome.of(lookup) == Outcome.LISTED)
                .toList();
        List<String> reasons = listed.stream()
                .flatMap(lookup -> lookup.texts().stream())
                .map(text -> PrintableText.lines(text).replace('\n', ' '))
                .distinct()
                .toList();
        String reason = String.join("; ", reasons);
        boolean answered =
                lookups.stream().allMatch(lookup -> Outcome.of(lookup).answered());
        return new Row(
                zone,
                !listed.isEmpty() ? Boolean.TRUE : answered ? Boolean.FALSE : null,
                listed.stream()
                        .flatMap(lookup -> lookup.codes().stream())
                        .map(IpAddressText::format)
                        .distinct()
                        .sorted()
                        .toList(),
                reason.isEmpty() ? null : reason.substring(0, Math.min(reason.length(), MAX_REASON_CHARACTERS)));
    }

    private static void report(Evidence evidence, Findings findings) {
        List<DnsblLookup> lookups = evidence.lookups();
        for (DnsblLookup lookup : lookups) {
            if (Outcome.of(lookup) == Outcome.LISTED) {
                findings.listed(lookup.address(), lookup.zone(), IpAddressText.format(lookup.codes()));
            }
        }
        reportIfAny(zones(lookups, Outcome.REFUSED, Dnsbl::withText), findings::queriesRefused);
        reportIfAny(zones(lookups, Outcome.NOT_RELIABLE, DnsblLookup::zone), findings::zoneNotReliable);
        reportIfAny(zones(lookups, Outcome.NOT_IN_SERVICE, Dnsbl::withVersion), findings::zoneNotInService);
        reportIfAny(zones(lookups, Outcome.FAILED, Dnsbl::withError), findings::zoneFailed);
        long checked = lookups.stream().map(DnsblLookup::address).distinct().count();
        if (checked < evidence.addresses().size()) {
            findings.addressesOmitted((int) checked, evidence.addresses().size());
        }
        if (!evidence.complete()) {
            findings.addressLookupFailed();
        }
    }

    private static List<String> zones(List<DnsblLookup> lookups, Outcome outcome, Function<DnsblLookup, String> text) {
        return lookups.stream()
                .filter(lookup -> Outcome.of(lookup) == outcome)
                .map(text)
                .distinct()
                .toList();
    }

    private static String withText(DnsblLookup lookup) {
        String code = IpAddressText.format(lookup.codes().get(0));
        return lookup.zone() + " (" + code
                + (lookup.texts().isEmpty() ? "" : ", " + lookup.texts().get(0)) + ")";
    }

    private static String withVersion(DnsblLookup lookup) {
        return lookup.zone() + (lookup.address().getAddress().length == 4 ? " (IPv4)" : " (IPv6)");
    }

    private static String withError(DnsblLookup lookup) {
        CheckError error = lookup.error();
        return lookup.zone() + (error == null ? "" : " (" + error.code().id() + ")");
    }
}
