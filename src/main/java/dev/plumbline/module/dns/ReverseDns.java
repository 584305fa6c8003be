package dev.plumbline.module.dns;

import static dev.plumbline.sheet.FindingCollector.reportIfAny;
import static java.util.stream.Collectors.joining;

import com.google.auto.service.AutoService;
import com.google.common.base.CharMatcher;
import com.google.common.collect.Lists;
import com.google.common.io.BaseEncoding;
import com.google.common.primitives.Bytes;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.CheckModule;
import dev.plumbline.check.RegisteredModule;
import dev.plumbline.concurrent.ContextFutures;
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
import java.util.Locale;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
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

    private static final CharMatcher SEPARATORS = CharMatcher.anyOf(".-_x");

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
                    : Future.failedFuture(new CheckFailure(error));
        });
    }

    private static Future<Evidence> forward(
            CheckContext context, InetAddress ip, String reverseName, DnsLookupResult lookup) {
        List<String> names = lookup.records().stream()
                .map(ptr -> ((PTRRecord) ptr).getTarget().toString(true))
                .distinct()
                .sorted()
                .toList();
        DnsProbe dns = context.probe(DnsProbe.class);
        return ContextFutures.all(
                        names.subList(0, Math.min(names.size(), MAX_NAMES)),
                        name -> dns.addresses(context, name).map(addresses -> new Forward(name, addresses)))
                .map(forwards -> new Evidence(ip, reverseName, lookup.alias(), names.size(), forwards));
    }

    @Override
    public Report evaluate(Evidence evidence, Options options, Findings findings) {
        InetAddress ip = evidence.ip();
        List<Forward> names =
                evidence.names().stream().filter(each -> !isHidden(each)).toList();
        Boolean confirmed = confirmed(names, ip);
        if (evidence.count() == 0) {
            findings.noPtr(evidence.reverseName());
        }
        evaluateForward(names, ip, confirmed, findings);
        int hidden = evidence.names().size() - names.size();
        if (hidden > 0) {
            findings.privateNamesHidden(hidden);
        }
        reportIfAny(names(names, each -> !HOSTNAME.matcher(each.name()).matches()), findings::invalidHostname);
        reportIfAny(names(names, each -> each.addresses().alias()), findings::ptrPointsToAlias);
        if (evidence.count() > MAX_NAMES) {
            findings.manyPtr(evidence.count());
        } else if (evidence.count() > 1) {
            findings.severalPtr(evidence.count());
        }
        reportIfAny(names(names, each -> isGeneric(each.name(), ip)), findings::genericName);
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
                    .flatMap(each -> Stream.ofNullable(each.addresses().error()))
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

    /**
     * Whether a provider generated the name from the address, for example {@code 192-0-2-1.dynamic.example.net}: it
     * contains all parts of the address, in either order.
     */
    static boolean isGeneric(String name, InetAddress ip) {
        String lower = name.toLowerCase(Locale.ROOT);
        byte[] bytes = ip.getAddress();
        String hex = BaseEncoding.base16().lowerCase().encode(bytes);
        if (bytes.length == 4) {
            List<Integer> parts =
                    Bytes.asList(bytes).stream().map(Byte::toUnsignedInt).toList();
            return lower.contains(hex)
                    || containsNumbers(lower, parts)
                    || containsNumbers(lower, Lists.reverse(parts))
                    || lower.contains(String.format(Locale.ROOT, "%03d%03d%03d%03d", parts.toArray()));
        }
        String digits = SEPARATORS.removeFrom(lower);
        return digits.contains(hex)
                || digits.contains(new StringBuilder(hex).reverse())
                || lower.contains(ip.getHostAddress().replace(':', '-'))
                || lower.contains(IpAddressText.format(ip).replace(':', '-'));
    }

    /** Whether the numbers occur one after the other, with optional leading zeros. */
    private static boolean containsNumbers(String name, List<Integer> numbers) {
        String pattern = numbers.stream().map(number -> "0{0,2}" + number).collect(joining("[.x_-]"));
        return Pattern.compile("(?<![0-9])" + pattern + "(?![0-9])")
                .matcher(name)
                .find();
    }

    private static List<String> names(List<Forward> names, Predicate<Forward> condition) {
        return names.stream().filter(condition).map(Forward::name).toList();
    }
}
