package dev.plumbline.module.dns;

import static dev.plumbline.sheet.FindingCollector.reportIfAny;

import com.google.auto.service.AutoService;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.CheckModule;
import dev.plumbline.check.RegisteredModule;
import dev.plumbline.dns.DnsResolver;
import dev.plumbline.probe.dns.DnsLookupResult;
import dev.plumbline.probe.dns.DnsProbe;
import dev.plumbline.probe.dns.HostAddresses;
import dev.plumbline.probe.dns.HostAddresses.State;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.sheet.FindingCollector;
import dev.plumbline.sheet.NullOnError;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.IpAddressText;
import dev.plumbline.target.Target;
import io.vertx.core.Future;
import java.net.InetAddress;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.PTRRecord;
import org.xbill.DNS.ReverseMap;

/** The PTR records of an address, and whether their names resolve to the address (RFC 1912, RFC 8601). */
@AutoService(RegisteredModule.class)
public final class ReverseDns implements CheckModule<ReverseDns.Evidence, ReverseDns.Report, ReverseDns.Findings> {
    /** Names beyond this number are not looked up; SPF and DNS-based mail checks use the same limit (RFC 7208). */
    static final int MAX_NAMES = 10;

    private static final Pattern HOSTNAME = Pattern.compile(
            "(?!.*\\.?[0-9]+$)[A-Za-z0-9](?:[A-Za-z0-9-]*+(?<!-))?+(?:\\.[A-Za-z0-9](?:[A-Za-z0-9-]*+(?<!-))?+)++");

    /** The fields of the report. Beside an error, forwardConfirmed can be null. */
    public record Report(List<String> ptr, @NullOnError Boolean forwardConfirmed, List<Row> names) {}

    /** A name and its addresses. */
    public record Row(String name, List<String> ips, @Nullable Boolean confirmed) {}

    public interface Findings extends FindingCollector {
        void noPtr(String name);

        void notConfirmed(List<String> names, InetAddress ip);

        void someNotConfirmed(List<String> names, InetAddress ip);

        void forwardLookupFailed(List<String> names);

        void privateNamesHidden(int count);

        void invalidHostname(List<String> names);

        void ptrPointsToAlias(List<String> names);

        void manyPtr(int count);

        void severalPtr(int count);

        void genericName(List<String> names);

        void delegated(String name, String target);
    }

    /** A name of a PTR record. */
    public record Forward(String name, HostAddresses addresses) {
        private boolean is(State state) {
            return addresses.state() == state;
        }
    }

    /**
     * @param reverseName the name of the PTR records
     * @param delegation the target of its CNAME record (RFC 2317); null if it has none
     * @param count the number of PTR records
     * @param names the first names in alphabetical order
     */
    public record Evidence(
            InetAddress ip, String reverseName, @Nullable String delegation, int count, List<Forward> names) {}

    @Override
    public Future<Evidence> collect(Target target, CheckContext context) {
        InetAddress ip = Objects.requireNonNull(target.host().literal());
        String reverseName = DnsResolver.text(ReverseMap.fromAddress(ip));
        return context.probe(DnsProbe.class).lookup(context, reverseName, "PTR").compose(lookup -> {
            CheckError error = lookup.error();
            return error == null
                    ? forward(context, ip, reverseName, lookup)
                    : Future.failedFuture(new CheckFailure(error.code(), error.message()));
        });
    }

    private static Future<Evidence> forward(
            CheckContext context, InetAddress ip, String reverseName, DnsLookupResult lookup) {
        List<String> names = lookup.records().stream()
                .map(ptr -> ((PTRRecord) ptr).getTarget().toString(true))
                .distinct()
                .sorted()
                .toList();
        String delegation = lookup.aliases().isEmpty()
                ? null
                : DnsResolver.text(lookup.aliases().get(lookup.aliases().size() - 1));
        List<Future<Forward>> forwards = names.stream()
                .limit(MAX_NAMES)
                .map(name -> context.probe(DnsProbe.class)
                        .addresses(context, name)
                        .map(addresses -> new Forward(name, addresses)))
                .toList();
        return Future.all(forwards)
                .map(all -> new Evidence(ip, reverseName, delegation, names.size(), all.<Forward>list()));
    }

    @Override
    public Report evaluate(Evidence evidence, Options options, Findings findings) {
        InetAddress ip = evidence.ip();
        List<Forward> hidden =
                evidence.names().stream().filter(ReverseDns::isHidden).toList();
        List<Forward> names =
                evidence.names().stream().filter(each -> !isHidden(each)).toList();
        Boolean confirmed = confirmed(names, ip);
        if (evidence.count() == 0) {
            findings.noPtr(evidence.reverseName());
        }
        evaluateForward(names, ip, confirmed, findings);
        if (!hidden.isEmpty()) {
            findings.privateNamesHidden(hidden.size());
        }
        reportIfAny(names(names, each -> !HOSTNAME.matcher(each.name()).matches()), findings::invalidHostname);
        reportIfAny(names(names, each -> each.addresses().alias()), findings::ptrPointsToAlias);
        if (evidence.count() > MAX_NAMES) {
            findings.manyPtr(evidence.count());
        } else if (evidence.count() > 1) {
            findings.severalPtr(evidence.count());
        }
        reportIfAny(names(names, each -> GenericHostname.isGeneric(each.name(), ip)), findings::genericName);
        if (evidence.delegation() != null) {
            findings.delegated(evidence.reverseName(), evidence.delegation());
        }
        return new Report(
                names(names, each -> true),
                confirmed,
                names.stream()
                        .map(each -> new Row(
                                each.name(),
                                IpAddressText.format(each.addresses().ips()),
                                confirmed(each, ip)))
                        .toList());
    }

    private static void evaluateForward(
            List<Forward> names, InetAddress ip, @Nullable Boolean confirmed, Findings findings) {
        List<String> unconfirmed = names(names, each -> Boolean.FALSE.equals(confirmed(each, ip)));
        if (Boolean.TRUE.equals(confirmed)) {
            reportIfAny(unconfirmed, rest -> findings.someNotConfirmed(rest, ip));
        } else {
            reportIfAny(unconfirmed, all -> findings.notConfirmed(all, ip));
        }
        reportIfAny(names(names, each -> confirmed(each, ip) == null), findings::forwardLookupFailed);
        if (confirmed == null) {
            names.stream()
                    .map(each -> each.addresses().error())
                    .filter(Objects::nonNull)
                    .findFirst()
                    .ifPresent(findings::error);
        }
    }

    /** Whether the name has a private address, so that only an internal resolver may know it. */
    private static boolean isHidden(Forward name) {
        CheckError error = name.addresses().error();
        return name.is(State.PRIVATE) || error != null && error.code() == ErrorCode.TARGET_BLOCKED;
    }

    /** Whether a name resolves to the address; null if that is unknown. */
    private static @Nullable Boolean confirmed(List<Forward> names, InetAddress ip) {
        if (names.stream().anyMatch(each -> Boolean.TRUE.equals(confirmed(each, ip)))) {
            return true;
        }
        return names.stream().anyMatch(each -> confirmed(each, ip) == null) ? null : (Boolean) false;
    }

    private static @Nullable Boolean confirmed(Forward name, InetAddress ip) {
        if (name.addresses().ips().contains(ip)) {
            return true;
        }
        return name.is(State.FAILED) || name.is(State.PARTIAL) ? null : (Boolean) false;
    }

    private static List<String> names(List<Forward> names, Predicate<Forward> condition) {
        return names.stream().filter(condition).map(Forward::name).toList();
    }
}
