package dev.plumbline.module.dns;

import static dev.plumbline.sheet.FindingCollector.reportIfAny;
import static java.util.stream.Collectors.collectingAndThen;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;

import com.google.auto.service.AutoService;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.CheckModule;
import dev.plumbline.check.RegisteredModule;
import dev.plumbline.concurrent.ContextFutures;
import dev.plumbline.dns.DnsResponse;
import dev.plumbline.egress.RegistrableDomains;
import dev.plumbline.module.dns.nameservers.NamedServerLookups;
import dev.plumbline.module.dns.record.DnsRecordRow;
import dev.plumbline.module.reference.DanglingReferences;
import dev.plumbline.module.reference.DanglingReferences.Reference;
import dev.plumbline.probe.dns.DnsLookupResult;
import dev.plumbline.probe.dns.DnsProbe;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.sheet.NullOnError;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.Target;
import io.vertx.core.Future;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.CNAMERecord;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Type;

/** Looks up the DNS records of a name. */
@AutoService(RegisteredModule.class)
public final class DnsRecords implements CheckModule<DnsRecords.Evidence, DnsRecords.Report, DnsRecords.Findings> {
    /** The default of the option {@code types}. */
    static final List<String> DEFAULT_TYPES =
            List.of("A", "AAAA", "CNAME", "MX", "NS", "TXT", "SOA", "CAA", "HTTPS", "SRV");

    /** A label that does not exist; constant per process, so that its responses can be cached. */
    static final String RANDOM_LABEL = "random-" + Long.toString(new SecureRandom().nextLong() >>> 8, 36);

    private static final int MAX_NAME_LENGTH = 253;
    private static final int SHORT_TTL_SECONDS = 60;
    private static final int LONG_TTL_SECONDS = 7 * 86_400;
    private static final int LONG_CHAIN = 3;
    private static final Set<String> ALWAYS_SHOWN = Set.of("A", "AAAA", "CNAME");
    private static final Set<String> HOST_TYPES = Set.of("MX", "NS", "SRV");
    private static final Set<ErrorCode> INCOMPLETE = Set.of(ErrorCode.DNS_TIMEOUT, ErrorCode.REQUEST_LIMIT);
    private static final RegistrableDomains DOMAINS = new RegistrableDomains();

    /** The fields of the report. Beside an error, rcode, wildcard and responseMs can be null. */
    public record Report(
            @NullOnError String rcode,
            Map<String, ?> records,
            @Nullable Integer ttlMin,
            @NullOnError Boolean wildcard,
            boolean authoritative,
            @NullOnError Double responseMs,
            List<DanglingReferences.Row> danglingReferences) {}

    public interface Findings extends DanglingReferences.Findings {
        void nameDoesNotExist(String name);

        void nxdomainForSomeTypes(String name, List<String> types);

        void danglingAlias(String name, String target);

        void brokenAlias(String name, String target);

        void aliasWithOtherRecords(String name, List<String> types);

        void aliasAtApex(String name);

        void severalAliases(String name, int count);

        void longAliasChain(String name, int count, String target);

        void lookupFailed(List<String> types);

        void privateRecordsHidden(List<String> records);

        void singleNameserver(String name, String server);

        void ttlsDiffer(String type, Set<Long> ttls);

        void noRecords(String name);

        void noIpv6(String name);

        void wildcard(String name);

        void shortTtl(int ttl);

        void longTtl(int ttl);
    }

    /**
     * @param lookups of the requested types, in order
     * @param random the lookup of a random name below this one; null if that name is too long
     * @param unverified why it is unknown whether the name has private addresses; null if it has none
     * @param dangling the targets of records that do not exist
     */
    public record Evidence(
            String name,
            List<DnsLookupResult> lookups,
            @Nullable DnsLookupResult random,
            @Nullable CheckError unverified,
            DanglingReferences dangling) {
        Evidence(
                String name,
                List<DnsLookupResult> lookups,
                @Nullable DnsLookupResult random,
                @Nullable CheckError unverified) {
            this(name, lookups, random, unverified, DanglingReferences.NONE);
        }

        private Evidence with(DanglingReferences references) {
            return new Evidence(name, lookups, random, unverified, references);
        }

        /** The hosts in MX, NS and SRV records; a null MX or SRV record does not have one. */
        private List<String> hosts() {
            return lookups.stream()
                    .filter(each -> HOST_TYPES.contains(each.type()) && each.succeeded())
                    .flatMap(each -> each.records().stream())
                    .flatMap(record -> Stream.ofNullable(record.getAdditionalName()))
                    .filter(host -> host.labels() > 1)
                    .map(DnsRecordRow::text)
                    .distinct()
                    .toList();
        }

        /** The name, if it is an alias of a name that does not exist; some servers return NXDOMAIN for some types. */
        private Stream<Reference> danglingAlias() {
            List<DnsLookupResult> answered = lookups.stream()
                    .filter(each -> each.succeeded() && !each.type().equals("CNAME"))
                    .toList();
            return answered.stream()
                    .filter(each ->
                            !each.aliases().isEmpty() && answered.stream().allMatch(other -> other.missing() != null))
                    .limit(1)
                    .flatMap(each -> Reference.of(name, each.missing()));
        }

        private List<String> types(Predicate<DnsLookupResult> condition) {
            return lookups.stream().filter(condition).map(DnsLookupResult::type).toList();
        }

        /** Null if it is unknown. */
        private @Nullable Boolean wildcard() {
            if (random == null) {
                return false;
            }
            if (random.blocked()) {
                return true;
            }
            // A wildcard CNAME record has the same target for all names; a DNAME record keeps their first label.
            boolean alias = random.aliases().stream()
                    .anyMatch(target -> !target.getLabelString(0).equalsIgnoreCase(RANDOM_LABEL));
            return random.succeeded() ? (Boolean) (alias || !random.records().isEmpty()) : null;
        }

        /** Whether the name has a CNAME record and no other lookup succeeded. */
        private boolean hasBrokenAlias() {
            return lookups.stream().allMatch(each -> !each.succeeded() || hasCname(each))
                    && lookups.stream().anyMatch(each -> !each.succeeded() && !each.blocked());
        }
    }

    @Override
    public Future<Evidence> collect(Target target, CheckContext context) {
        String name = target.text();
        DnsProbe dns = context.probe(DnsProbe.class);
        List<String> requested = context.options().list("types");
        Set<String> types = new LinkedHashSet<>(requested.isEmpty() ? DEFAULT_TYPES : requested);
        List<String> servers = context.options().list("servers");
        if (!servers.isEmpty()) {
            return dns.admitWithoutAddresses(context, name)
                    .compose(admitted -> NamedServerLookups.first(context.patiently(), servers, name))
                    .compose(server -> collect(server, name, types))
                    // the resolver does not know the hosts of a zone that is not delegated yet
                    .compose(evidence -> DanglingReferences.find(context, evidence.danglingAlias())
                            .map(evidence::with));
        }
        Future<CheckError> admission = dns.admit(context, name)
                .<CheckError>mapEmpty()
                .recover(CheckFailure.otherwise(ErrorCode.TARGET_BLOCKED, DnsRecords::unverified));
        Future<DnsLookupResult> random = random(name, types, (below, type) -> dns.lookup(context, below, type));
        Future<List<DnsLookupResult>> lookups = ContextFutures.all(types, type -> dns.lookup(context, name, type));
        return admission.compose(unverified -> lookups.compose(all -> withAlias(dns, context, name, all))
                .compose(all -> random.map(one -> evidence(name, all, one, unverified)))
                .compose(evidence -> withDangling(context, evidence)));
    }

    private static Future<Evidence> withDangling(CheckContext context, Evidence evidence) {
        return DanglingReferences.missing(context.patiently(), evidence.hosts())
                .compose(missing ->
                        DanglingReferences.find(context, Stream.concat(evidence.danglingAlias(), missing.stream())))
                .map(evidence::with);
    }

    private static Future<Evidence> collect(NamedServerLookups server, String name, Set<String> types) {
        return server.lookups(name, types)
                .compose(all -> random(name, types, server::lookup).map(one -> new Evidence(name, all, one, null)));
    }

    /** The lookup of a random name below this one; null if that name is too long. */
    private static Future<DnsLookupResult> random(
            String name, Set<String> types, BiFunction<String, String, Future<DnsLookupResult>> lookup) {
        String below = RANDOM_LABEL + "." + name;
        return below.length() > MAX_NAME_LENGTH
                ? Future.succeededFuture()
                : lookup.apply(
                        below, types.contains("A") ? "A" : types.iterator().next());
    }

    /** Adds the CNAME record, if there is one, of a name whose lookups failed: it can explain the failure. */
    private static Future<List<DnsLookupResult>> withAlias(
            DnsProbe dns, CheckContext context, String name, List<DnsLookupResult> lookups) {
        boolean failed = lookups.stream()
                .allMatch(each -> each.error() != null && each.error().code() == ErrorCode.DNS_SERVFAIL);
        return failed && lookups.stream().noneMatch(each -> each.type().equals("CNAME"))
                ? dns.lookup(context, name, "CNAME")
                        .map(cname -> hasCname(cname)
                                ? Stream.concat(lookups.stream(), Stream.of(cname))
                                        .toList()
                                : lookups)
                : Future.succeededFuture(lookups);
    }

    private static CheckError unverified(CheckError cause) {
        return new CheckError(
                cause.code(),
                "Only address records are shown, because the check for private addresses failed. " + cause.message());
    }

    /** Removes responses that would be private if the name has private addresses. */
    private static Evidence evidence(
            String name,
            List<DnsLookupResult> lookups,
            @Nullable DnsLookupResult random,
            @Nullable CheckError unverified) {
        if (unverified == null) {
            return new Evidence(name, lookups, random, null);
        }
        List<DnsLookupResult> shown = lookups.stream()
                .map(each -> !each.succeeded() || ALWAYS_SHOWN.contains(each.type())
                        ? each
                        : new DnsLookupResult(each.type(), null, unverified))
                .toList();
        DnsLookupResult wildcard =
                random == null || !random.hasRecords() ? random : new DnsLookupResult(random.type(), null, unverified);
        return new Evidence(name, shown, wildcard, unverified);
    }

    @Override
    public Report evaluate(Evidence evidence, Options options, Findings findings) {
        String name = evidence.name();
        List<DnsLookupResult> lookups = evidence.lookups();
        List<DnsResponse> responses = lookups.stream()
                .filter(DnsLookupResult::succeeded)
                .flatMap(each -> Stream.ofNullable(each.response()))
                .toList();
        List<Record> records =
                responses.stream().flatMap(each -> each.records().stream()).toList();
        List<Record> shown = Stream.concat(records.stream(), responses.stream().flatMap(each -> each.cnames().stream()))
                .distinct()
                .toList();
        Map<String, ?> rows = shown.stream()
                .collect(groupingBy(
                        each -> Type.string(each.getType()),
                        LinkedHashMap::new,
                        collectingAndThen(toList(), DnsRecordRow::list)));
        boolean missing = responses.stream().anyMatch(DnsResponse::nxdomain)
                && records.stream().allMatch(CNAMERecord.class::isInstance);
        String rcode = lookups.stream()
                .flatMap(each -> Stream.ofNullable(each.response()))
                .findFirst()
                .map(each -> responses.isEmpty() ? Rcode.string(each.rcode()) : "NOERROR")
                .orElse(null);
        Report report = new Report(
                missing ? "NXDOMAIN" : rcode,
                rows,
                shown.stream()
                        .map(each -> (int) each.getTTL())
                        .min(Comparator.naturalOrder())
                        .orElse(null),
                evidence.wildcard(),
                !responses.isEmpty() && responses.stream().allMatch(DnsResponse::authoritative),
                responses.stream()
                        .map(each -> Math.round(each.responseMs() * 10) / 10.0)
                        .max(Comparator.naturalOrder())
                        .orElse(null),
                evidence.dangling().rows());
        if (responses.isEmpty()) {
            findings.error(failure(lookups));
            return report;
        }
        if (missing && shown.isEmpty()) {
            findings.nameDoesNotExist(name);
            findings.error(CheckError.nameNotFound(name));
            return report;
        }
        evaluateAliases(evidence, responses, missing, findings);
        evaluateLookups(evidence, records, findings);
        evidence.dangling().report(findings);
        List<Record> servers =
                records.stream().filter(each -> each.getType() == Type.NS).toList();
        if (servers.size() == 1) {
            findings.singleNameserver(name, DnsRecordRow.text(servers.get(0).getAdditionalName()));
        }
        if (Boolean.TRUE.equals(report.wildcard())) {
            findings.wildcard(name);
        }
        if (records.isEmpty() && !missing && responses.size() == lookups.size()) {
            findings.noRecords(name);
        }
        boolean noAaaa = responses.stream()
                .anyMatch(each -> each.type() == Type.AAAA && each.records().isEmpty());
        if (rows.containsKey("A") && noAaaa) {
            findings.noIpv6(name);
        }
        for (DnsResponse each : responses) {
            Set<Long> ttls =
                    new TreeSet<>(each.records().stream().map(Record::getTTL).toList());
            if (ttls.size() > 1) {
                findings.ttlsDiffer(Type.string(each.type()), ttls);
            }
        }
        Integer ttl = report.ttlMin();
        if (ttl != null && ttl < SHORT_TTL_SECONDS) {
            findings.shortTtl(ttl);
        } else if (ttl != null && ttl > LONG_TTL_SECONDS) {
            findings.longTtl(ttl);
        }
        findings.error(incomplete(evidence));
        return report;
    }

    private static void evaluateAliases(
            Evidence evidence, List<DnsResponse> responses, boolean missing, Findings findings) {
        String name = evidence.name();
        List<Name> chain = responses.stream()
                .map(DnsResponse::aliases)
                .max(Comparator.comparingInt(List::size))
                .orElse(List.of());
        String target = chain.isEmpty() ? "" : DnsRecordRow.text(chain.get(chain.size() - 1));
        List<String> nxdomain = evidence.types(DnsLookupResult::nxdomain);
        if (missing && !chain.isEmpty()) {
            findings.danglingAlias(name, target);
        } else if (!missing && !nxdomain.isEmpty()) {
            findings.nxdomainForSomeTypes(name, nxdomain);
        }
        int own = evidence.lookups().stream()
                .filter(DnsRecords::hasCname)
                .mapToInt(each -> each.records().size())
                .sum();
        List<String> others = evidence.types(each -> each.succeeded()
                && !hasCname(each)
                && !each.records().isEmpty()
                && each.aliases().isEmpty());
        boolean alias = own > 0 || !chain.isEmpty();
        if (alias && name.equals(DOMAINS.registered(name))) {
            findings.aliasAtApex(name);
        } else if (alias && !others.isEmpty()) {
            findings.aliasWithOtherRecords(name, others);
        }
        if (own > 1) {
            findings.severalAliases(name, own);
        }
        if (chain.size() >= LONG_CHAIN) {
            findings.longAliasChain(name, chain.size(), target);
        }
    }

    private static void evaluateLookups(Evidence evidence, List<Record> records, Findings findings) {
        List<String> failed = evidence.types(each -> !each.succeeded()
                && !each.blocked()
                && (each.failure() == null || !each.failure().equals(evidence.unverified())));
        if (evidence.hasBrokenAlias()) {
            findings.brokenAlias(evidence.name(), DnsRecordRow.text(((CNAMERecord) records.get(0)).getTarget()));
        } else if (!failed.isEmpty()) {
            findings.lookupFailed(failed);
        }
        List<String> hidden = new ArrayList<>(evidence.types(DnsLookupResult::blocked));
        if (evidence.random() != null && evidence.random().blocked()) {
            hidden.add("wildcard " + evidence.random().type());
        }
        reportIfAny(hidden, findings::privateRecordsHidden);
    }

    /** Why the result is not complete; null if it is complete. */
    private static @Nullable CheckError incomplete(Evidence evidence) {
        for (DnsLookupResult each : evidence.lookups()) {
            if (each.failure() != null && INCOMPLETE.contains(each.failure().code())) {
                return each.failure();
            }
        }
        if (evidence.unverified() != null && !evidence.hasBrokenAlias()) {
            return evidence.unverified();
        }
        if (evidence.random() == null || evidence.wildcard() != null) {
            return null;
        }
        CheckError cause = failure(List.of(evidence.random()));
        return cause == null
                ? null
                : new CheckError(cause.code(), "The lookup for a wildcard record failed. " + cause.message());
    }

    private static boolean hasCname(DnsLookupResult lookup) {
        return lookup.succeeded()
                && lookup.type().equals("CNAME")
                && !lookup.records().isEmpty();
    }

    private static @Nullable CheckError failure(List<DnsLookupResult> lookups) {
        return lookups.stream()
                .flatMap(each -> Stream.ofNullable(each.failure()))
                .findFirst()
                .orElseGet(() -> lookups.get(0).error());
    }
}
