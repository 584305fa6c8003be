package dev.plumbline.module.reference;

import static dev.plumbline.sheet.FindingCollector.reportIfAny;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.OverloadFailure;
import dev.plumbline.check.RequestBudget;
import dev.plumbline.concurrent.ContextFutures;
import dev.plumbline.dns.MissingName;
import dev.plumbline.egress.RegistrableDomains;
import dev.plumbline.probe.dns.DnsProbe;
import dev.plumbline.probe.registry.RegistrationLookup;
import dev.plumbline.probe.registry.RegistrationRecord;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.Finding;
import dev.plumbline.sheet.FindingBinding;
import dev.plumbline.sheet.FindingCode;
import dev.plumbline.sheet.FindingCollector;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.ExceptionMessage;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The references of a target to names that do not exist. With the option {@code registrations}, also whether their
 * domains are registered.
 *
 * @param references each once
 * @param registrations of the domains that are not delegated, by domain; empty without the option
 */
public record DanglingReferences(List<Reference> references, Map<String, Registration> registrations) {
    /** The option that looks up registrations. */
    public static final String REGISTRATIONS = "registrations";

    public static final DanglingReferences NONE = new DanglingReferences(List.of(), Map.of());

    /** The maximum number of domains whose registrations are looked up in a check. */
    public static final int MAX_REGISTRATIONS = 3;

    private static final String FIELD = "dangling_references";
    private static final Set<String> CODES =
            Set.of("dangling_reference", "dangling_domain_unregistered", "dangling_registration_unknown");

    /** The requests of one lookup of a registration: RDAP with redirects, and WHOIS with referrals. */
    private static final int REQUESTS = 8;

    private static final int MAX_HOSTS = 10;
    private static final RegistrableDomains DOMAINS = new RegistrableDomains();

    /** The time for the evaluation after the last lookup, in milliseconds. */
    private static final long RESERVE_MS = 300;

    /**
     * A reference to a name that does not exist.
     *
     * @param name the referenced name, for example the host of an MX record
     * @param missing the same name, or the target of its CNAME record
     */
    public record Reference(String name, MissingName missing) {
        /** Without an element if the name exists or its absence is not proven. */
        public static Stream<Reference> of(String name, @Nullable MissingName missing) {
            return Stream.ofNullable(missing).map(absent -> new Reference(name, absent));
        }

        private String text() {
            String absent = missing.text();
            return name.equalsIgnoreCase(absent) ? absent : name + " (alias of " + absent + ")";
        }

        /**
         * The registrable domain of the missing name if its parent zone does not delegate it, so that it may be free.
         * Null if the domain exists or is not one of a registry.
         */
        private @Nullable String undelegatedDomain() {
            String domain = DOMAINS.ofDnsName(missing.text());
            if (domain == null || domain.endsWith(".arpa")) {
                return null;
            }
            long parentLabels = domain.chars().filter(c -> c == '.').count();
            // the root label counts too
            return missing.zone().labels() <= parentLabels + 1 ? domain : null;
        }
    }

    /**
     * Whether a domain is registered.
     *
     * @param registered null if it is unknown
     * @param reason why it is unknown; empty if it is known
     */
    public record Registration(@Nullable Boolean registered, String reason) {
        private static Registration of(RegistrationLookup lookup) {
            RegistrationRecord registration = lookup.registration();
            if (registration == null) {
                return unknown("No RDAP or WHOIS server is known for the top-level domain.");
            }
            return registration.registered() == null
                    ? unknown("The response of the registry is not in a known format.")
                    : new Registration(registration.registered(), "");
        }

        private static Registration unknown(String reason) {
            return new Registration(null, reason);
        }
    }

    /**
     * A row of the field {@code dangling_references}.
     *
     * @param name the referenced name
     * @param missing the same name, or the target of its CNAME record
     * @param domain the registrable domain if it is not delegated; null if it is
     * @param registered null if it was not looked up or is unknown
     */
    public record Row(String name, String missing, @Nullable String domain, @Nullable Boolean registered) {}

    /** The findings of every module that reports such references. */
    public interface Findings extends FindingCollector {
        void danglingReference(List<String> names);

        void danglingDomainUnregistered(List<String> domains);

        void danglingRegistrationUnknown(List<String> domains, String reason);
    }

    /**
     * Looks up hosts and returns those that do not exist. The AAAA lookup confirms NXDOMAIN, because some servers
     * return it for a type without records.
     *
     * @param hosts at most {@value #MAX_HOSTS} of them are looked up
     */
    public static Future<List<Reference>> missing(CheckContext context, Collection<String> hosts) {
        return ContextFutures.all(hosts.stream().distinct().limit(MAX_HOSTS).toList(), host -> missing(context, host))
                .map(found -> found.stream().flatMap(Stream::ofNullable).toList());
    }

    private static Future<@Nullable Reference> missing(CheckContext context, String host) {
        DnsProbe dns = context.probe(DnsProbe.class);
        return dns.lookup(context, host, "A").compose(a -> {
            MissingName missing = a.missing();
            return missing == null
                    ? Future.succeededFuture()
                    : dns.lookup(context, host, "AAAA")
                            .map(aaaa -> aaaa.missing() == null ? null : new Reference(host, missing));
        });
    }

    /** The request budget of a module that needs the default one for its other requests. */
    public static int requests(Options options) {
        return RequestBudget.MAX + (options.flag(REGISTRATIONS) ? MAX_REGISTRATIONS * REQUESTS : 0);
    }

    /** Looks up the registrations of domains that are not delegated if the option is set. */
    public static Future<DanglingReferences> find(CheckContext context, Stream<Reference> references) {
        List<Reference> distinct = references.distinct().toList();
        Set<String> domains = new LinkedHashSet<>();
        if (context.options().flag(REGISTRATIONS)) {
            distinct.stream()
                    .flatMap(reference -> Stream.ofNullable(reference.undelegatedDomain()))
                    .forEach(domains::add);
        }
        return registrations(context, domains).map(registrations -> new DanglingReferences(distinct, registrations));
    }

    /**
     * Looks up the registrations of domains, after all other requests of a check. A failed lookup does not fail the
     * check.
     *
     * @param domains the first {@value #MAX_REGISTRATIONS} are looked up
     * @return by domain, in the same order
     */
    public static Future<Map<String, Registration>> registrations(CheckContext context, Set<String> domains) {
        // a retry of the check would repeat its requests, so wait for the limits of registries
        CheckContext share = context.patiently()
                .within(context.deadline().atMost(Math.max(0, context.deadline().remainingMillis() - RESERVE_MS)));
        Map<String, Registration> registrations = new LinkedHashMap<>();
        domains.forEach(domain -> registrations.put(
                domain, Registration.unknown("A check looks up at most " + MAX_REGISTRATIONS + " registrations.")));
        List<String> first = domains.stream().limit(MAX_REGISTRATIONS).toList();
        return ContextFutures.all(first, domain -> registration(share, domain)
                        .onSuccess(found -> registrations.put(domain, found)))
                .map(registrations);
    }

    private static Future<Registration> registration(CheckContext context, String domain) {
        return RegistrationLookup.byAnySource(context, domain).transform(outcome -> {
            Throwable cause = outcome.cause();
            if (outcome.succeeded()) {
                return Future.succeededFuture(Registration.of(outcome.result()));
            }
            boolean limited = cause instanceof OverloadFailure overload && !overload.ofNode();
            return limited || cause instanceof CheckFailure
                    ? Future.succeededFuture(Registration.unknown(ExceptionMessage.of(cause)))
                    : Future.failedFuture(cause);
        });
    }

    /** Whether a name is one of the referenced names. */
    public boolean contains(String name) {
        return references.stream().anyMatch(reference -> reference.name().equals(name));
    }

    public List<Row> rows() {
        return references.stream().map(this::row).toList();
    }

    private Row row(Reference reference) {
        String domain = reference.undelegatedDomain();
        Registration registration = domain == null ? null : registrations.get(domain);
        return new Row(
                reference.name(),
                reference.missing().text(),
                domain,
                registration == null ? null : registration.registered());
    }

    public void report(Findings findings) {
        reportIfAny(references.stream().map(Reference::text).toList(), findings::danglingReference);
        report(registrations, findings);
    }

    /** The domains that are not delegated in the field {@code dangling_references} of a result; can be empty. */
    public static Set<String> undelegatedDomains(CheckResult result) {
        Set<String> domains = new LinkedHashSet<>();
        if (result.fields().get(FIELD) instanceof List<?> rows) {
            for (Object row : rows) {
                if (row instanceof Map<?, ?> reference && reference.get("domain") instanceof String domain) {
                    domains.add(domain);
                }
            }
        }
        return domains;
    }

    /** The findings about registrations of a module that declares them. */
    public static List<Finding> findings(ModuleDescription module, Map<String, Registration> registrations) {
        List<FindingCode> codes = module.findings().stream()
                .filter(finding -> CODES.contains(finding.code()))
                .toList();
        FindingBinding.Collected collected = new FindingBinding.Collected();
        report(
                registrations,
                FindingBinding.of(Findings.class, codes, new ArrayList<>()).collector(collected));
        return collected.with(Map.of()).findings();
    }

    /** Reports domains that are not registered, and why it is unknown whether others are. */
    public static void report(Map<String, Registration> registrations, Findings findings) {
        List<String> free = new ArrayList<>();
        Map<String, List<String>> unknown = new LinkedHashMap<>();
        registrations.forEach((domain, registration) -> {
            if (registration.registered() == null) {
                unknown.computeIfAbsent(registration.reason(), reason -> new ArrayList<>())
                        .add(domain);
            } else if (!registration.registered()) {
                free.add(domain);
            }
        });
        reportIfAny(free, findings::danglingDomainUnregistered);
        unknown.forEach((reason, domains) -> findings.danglingRegistrationUnknown(domains, reason));
    }
}
