package dev.plumbline.module.network;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.config.Config;
import dev.plumbline.config.ConfigLoader;
import dev.plumbline.dns.DnsQueryPermits;
import dev.plumbline.dns.DnsResolver;
import dev.plumbline.egress.DnsQueryLimits;
import dev.plumbline.lab.DnsLab;
import dev.plumbline.lab.LabRunner;
import dev.plumbline.lab.MailProviderZones;
import dev.plumbline.lab.ModuleExecution;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Level;
import dev.plumbline.run.CheckEnvironment;
import dev.plumbline.run.TestRunners;
import dev.plumbline.support.Await;
import dev.plumbline.support.TestCheckContext;
import dev.plumbline.target.Host;
import dev.plumbline.target.InputType;
import dev.plumbline.target.Target;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Section;

/**
 * Runs the modules of a domain with all smaller limits of queries for its provider. Records beyond the limit do not
 * cause warnings, failures, or empty or different values of fields. Composites run with a resolver that fails instead,
 * because their parts share the limit.
 */
@Tag("integration")
class UndeterminedQueriesTest {
    private static final ModuleCatalogue MODULES = ModuleCatalogue.load();
    private static final String DOMAIN = "ten-lookups.com";
    private static final String PROVIDER = "provider.net";
    private static final List<Integer> LIMITS = List.of(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 20);

    private final Vertx vertx = Vertx.vertx();

    @TempDir
    static Path folder;

    private static Path payloads;

    @BeforeAll
    static void writePayloads() throws IOException {
        payloads = Files.writeString(
                folder.resolve("payloads.json"),
                "{\"roas\":[{\"asn\":64496,\"prefix\":\"198.51.100.0/24\",\"maxLength\":24}]}");
    }

    @Test
    void recordsBeyondTheLimitAreNotReportedAsAbsent() throws Exception {
        Map<String, Set<String>> incorrect = new TreeMap<>();
        try (DnsLab dns = DnsLab.start()) {
            MailProviderZones zones = MailProviderZones.addTo(dns);
            for (String module : List.of(
                    "bimi",
                    "caa",
                    "dkim",
                    "dmarc",
                    "dns-records",
                    "email-address",
                    "ipv6-readiness",
                    "mta-sts",
                    "mx",
                    "nameservers",
                    "rpki",
                    "soa",
                    "spf",
                    "tls-rpt")) {
                CheckResult complete = run(dns, zones, module, DnsQueryLimits.MAX_PER_DOMAIN);
                for (int limit : LIMITS) {
                    Set<String> added = incorrect(run(dns, zones, module, limit), complete);
                    if (!added.isEmpty()) {
                        incorrect
                                .computeIfAbsent(module, first -> new TreeSet<>())
                                .addAll(added);
                    }
                }
            }
        } finally {
            Await.value(vertx.close());
        }
        assertThat(incorrect).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"overview", "mail-health"})
    void recordsThatTheResolverDoesNotReturnAreNotAbsentInComposites(String module) throws Exception {
        Set<String> incorrect = new TreeSet<>();
        CheckResult complete = runWithFailures(module, Integer.MAX_VALUE);
        for (int responses : List.of(0, 1, 3, 6, 12, 20)) {
            incorrect.addAll(incorrect(runWithFailures(module, responses), complete));
        }
        assertThat(incorrect).isEmpty();
    }

    /** @param responses queries for names of the provider after which the resolver fails */
    private static CheckResult runWithFailures(String module, int responses) throws Exception {
        AtomicInteger received = new AtomicInteger();
        try (DnsLab dns = DnsLab.start()) {
            MailProviderZones zones = MailProviderZones.addTo(dns);
            dns.behave((query, standard, transport, count) -> {
                boolean ofProvider = ("." + DnsResolver.text(query.getQuestion().getName())).endsWith("." + PROVIDER);
                if (ofProvider && received.incrementAndGet() > responses) {
                    standard.getHeader().setRcode(Rcode.SERVFAIL);
                    standard.removeAllRecords(Section.ANSWER);
                    standard.removeAllRecords(Section.AUTHORITY);
                }
                return standard.toWire();
            });
            try (LabRunner runner = LabRunner.start(dns, Map.of("PLUMBLINE_DNS_TRUST_ANCHORS", zones.trustAnchor()))) {
                return runner.check(module, DOMAIN);
            }
        }
    }

    /** The findings and fields of a result that state more than the complete result, or something else. */
    private static Set<String> incorrect(CheckResult result, CheckResult complete) {
        Set<String> incorrect = new TreeSet<>(problems(result));
        incorrect.removeAll(problems(complete));
        Set<String> causes = new TreeSet<>(causes(result));
        causes.removeAll(causes(complete));
        incorrect.addAll(causes);
        result.fields().forEach((field, value) -> {
            // the others follow from the verdicts of the parts
            if (!Set.of("causes", "fix_first", "grade").contains(field)) {
                addIncorrect(field, value, complete.fields().get(field), incorrect);
            }
        });
        return incorrect;
    }

    /** The findings of parts that a composite reports as causes, except those about failed lookups. */
    private static Set<String> causes(CheckResult result) {
        return result.fields().get("causes") instanceof List<?> causes
                ? causes.stream()
                        .map(cause -> (Map<?, ?>) cause)
                        .filter(cause -> !cause.get("level").equals("info"))
                        .map(cause -> cause.get("module") + "/" + cause.get("code"))
                        .filter(cause -> !cause.matches(".*/(dns_.*|.*lookups?_failed|address_lookup_failed)"))
                        .collect(Collectors.toSet())
                : Set.of();
    }

    private static void addIncorrect(
            String path, @Nullable Object value, @Nullable Object complete, Set<String> incorrect) {
        if (value instanceof Map<?, ?> part
                && complete instanceof Map<?, ?> ofComplete
                && part.get("verdict") != null) {
            boolean failed = String.valueOf(part.get("code")).endsWith("lookup_failed");
            if (!failed
                    && !part.get("verdict").equals("error")
                    && !part.get("verdict").equals(ofComplete.get("verdict"))) {
                incorrect.add(path + " is " + part.get("verdict") + " with " + part.get("code"));
            }
        } else if (value instanceof Map<?, ?> members && complete instanceof Map<?, ?> ofComplete) {
            members.forEach((name, member) -> addIncorrect(path + "." + name, member, ofComplete.get(name), incorrect));
        } else if (value instanceof List<?> items && complete instanceof List<?> ofComplete) {
            if (items.isEmpty() && !ofComplete.isEmpty()) {
                incorrect.add(path + " is empty");
            }
        } else if (value instanceof Number number && complete instanceof Number) {
            // smaller counts are those of what was found; durations differ
            if (!(number instanceof Double) && number.longValue() == 0 && !value.equals(complete)) {
                incorrect.add(path + " is 0");
            }
        } else if (value != null && !value.equals(complete)) {
            incorrect.add(path + "=" + value + ", not " + complete);
        }
    }

    private static Set<String> problems(CheckResult result) {
        return result.findings().stream()
                .filter(finding -> finding.level() != Level.INFO)
                .map(Finding::code)
                .collect(Collectors.toSet());
    }

    private CheckResult run(DnsLab dns, MailProviderZones zones, String name, int limit) throws Exception {
        Config config = ConfigLoader.load(
                null,
                Map.of(
                        "PLUMBLINE_TARGETS_ALLOW",
                        "127.0.0.0/8,192.0.2.0/24",
                        "PLUMBLINE_DNS_SERVERS",
                        dns.address(),
                        "PLUMBLINE_RPKI_VALIDATOR",
                        payloads.toString(),
                        "PLUMBLINE_DNS_TRUST_ANCHORS",
                        zones.trustAnchor(),
                        "PLUMBLINE_TARGETS_DNS_PER_DOMAIN_PER_SECOND",
                        "0"));
        CheckEnvironment environment = TestRunners.environment(vertx, config);
        ModuleDefinition<?> module = MODULES.find(name);
        TestCheckContext context = TestCheckContext.of(module.description(), Map.of());
        for (Map.Entry<Class<?>, Object> probe : environment.probes().entrySet()) {
            context = withProbe(context, probe.getKey(), probe.getValue());
        }
        Target target = module.description().input() == InputType.EMAIL
                ? new Target.Email("user", DOMAIN)
                : new Target.Domain(DOMAIN);
        context = context.withTarget(new Host(DOMAIN, null));
        DnsQueryPermits permits = new DnsQueryLimits(vertx, 0).permits(context);
        for (int i = 0; i < DnsQueryLimits.MAX_PER_DOMAIN - limit; i++) {
            Await.value(permits.acquire(PROVIDER));
        }
        return ModuleExecution.runIn(vertx, module, target, context);
    }

    private static <P> TestCheckContext withProbe(TestCheckContext context, Class<P> type, Object probe) {
        return context.withProbe(type, type.cast(probe));
    }
}
