package dev.plumbline.module.dns;

import static dev.plumbline.sheet.FindingCollector.reportIfAny;

import com.google.auto.service.AutoService;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.CheckModule;
import dev.plumbline.check.RegisteredModule;
import dev.plumbline.concurrent.ContextFutures;
import dev.plumbline.dns.DnsResolver;
import dev.plumbline.module.dns.record.DnsRecordRow;
import dev.plumbline.module.dns.record.ZoneDelegation;
import dev.plumbline.probe.dns.DnsProbe;
import dev.plumbline.probe.dns.NameserverAddress;
import dev.plumbline.probe.dns.NameserverProbe;
import dev.plumbline.probe.dns.NameserverProbe.Query;
import dev.plumbline.probe.dns.NameserverResponse;
import dev.plumbline.probe.dns.PropagationResolvers;
import dev.plumbline.probe.dns.PropagationResolvers.Resolver;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.sheet.FindingCollector;
import dev.plumbline.sheet.NullOnError;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.Host;
import dev.plumbline.target.Target;
import io.vertx.core.Future;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

/** Compares the records of a name on public resolvers with those on its nameservers. */
@AutoService(RegisteredModule.class)
public final class DnsPropagation
        implements CheckModule<DnsPropagation.Evidence, DnsPropagation.Report, DnsPropagation.Findings> {
    /** The maximum number of resolvers that are queried. */
    static final int MAX_RESOLVERS = 16;

    private static final int MAX_NAMESERVERS = 3;

    /** Types whose records can depend on the location of the resolver. */
    private static final Set<String> LOCATED = Set.of("A", "AAAA", "CNAME", "HTTPS");

    /** The fields of the report. Beside an error, the percentage can be null. */
    public record Report(List<Row> answers, @NullOnError Double agreementPercent, List<String> authoritative) {}

    /** The response of a resolver. */
    public record Row(String server, @Nullable String rcode, List<String> records, @Nullable Double timeMs) {}

    public interface Findings extends FindingCollector {
        void nameDoesNotExist(String name);

        void recordsDiffer(int count, int total, List<String> servers, long ttl);

        void addressesDiffer(int count, int total, List<String> servers);

        void missingOnResolvers(List<String> servers);

        void resolverErrors(List<String> servers);

        void unresponsiveResolvers(List<String> servers);

        void authoritativeRecordsUnknown(String name);
    }

    /**
     * @param answers by resolver, in order
     * @param authoritative what a nameserver returns; null if no nameserver returned an authoritative response
     */
    public record Evidence(Name name, List<Answer> answers, @Nullable AnswerRecords authoritative) {}

    /**
     * The response of a resolver.
     *
     * @param records null if there is an error
     */
    public record Answer(String server, @Nullable AnswerRecords records, double timeMs, @Nullable CheckError error) {
        private boolean has(Predicate<AnswerRecords> condition) {
            return records != null && condition.test(records);
        }
    }

    @Override
    public Future<Evidence> collect(Target target, CheckContext context) {
        Name name = DnsRecordRow.name(target.text());
        int type = Type.value(context.options().text("type"));
        List<Resolver> resolvers = context.probe(PropagationResolvers.class).all();
        CheckContext patient = context.patiently();
        // A name whose addresses are unknown can be private, and must not be sent to third parties.
        return context.probe(DnsProbe.class).admit(context, target.text()).compose(admitted -> {
            if (resolvers.isEmpty()) {
                return Future.failedFuture(new CheckFailure(
                        ErrorCode.TARGET_BLOCKED,
                        "No public resolvers are configured. An operator can set `dns.propagation`."));
            }
            Future<List<Answer>> answers = ContextFutures.all(
                    resolvers.subList(0, Math.min(resolvers.size(), MAX_RESOLVERS)),
                    resolver -> query(patient, resolver, name, type));
            Future<@Nullable AnswerRecords> authoritative = authoritative(patient, name, name, type);
            return Future.all(answers, authoritative)
                    .map(all -> new Evidence(name, answers.result(), authoritative.result()));
        });
    }

    private static Future<Answer> query(CheckContext context, Resolver resolver, Name name, int type) {
        NameserverProbe probe = context.probe(NameserverProbe.class);
        return probe.query(context, resolver.address(), Query.recursive(name, type))
                .compose(response -> shown(probe, name, type, response)
                        .map(records -> new Answer(resolver.name(), records, response.responseMs(), null)))
                .recover(cause -> cause instanceof CheckFailure failure && isOfServer(failure.error(), name)
                        ? Future.succeededFuture(new Answer(resolver.name(), null, 0, failure.error()))
                        : Future.failedFuture(cause));
    }

    /** Whether an error is neither that of the deadline nor that of private records; a resolver can be blocked too. */
    private static boolean isOfServer(CheckError error, Name name) {
        boolean isPrivate =
                error.code() == ErrorCode.TARGET_BLOCKED && error.message().startsWith(DnsResolver.text(name));
        return error.code() != ErrorCode.DEADLINE_EXCEEDED && !isPrivate;
    }

    private static Future<AnswerRecords> shown(
            NameserverProbe probe, Name name, int type, NameserverResponse response) {
        return probe.requirePublic(name, response.message().getSection(Section.ANSWER))
                .map(records -> AnswerRecords.of(name, type, response));
    }

    /** What the first responding nameserver of the nearest zone above the name returns. */
    private static Future<@Nullable AnswerRecords> authoritative(CheckContext context, Name name, Name zone, int type) {
        return context.probe(DnsProbe.class)
                .lookup(context, DnsResolver.text(zone), "NS")
                .compose(lookup -> {
                    if (lookup.aliases().isEmpty() && !lookup.records().isEmpty()) {
                        return ask(context, name, ZoneDelegation.targets(lookup.records()), 0, type);
                    }
                    return lookup.response() == null || zone.labels() <= 2
                            ? Future.<@Nullable AnswerRecords>succeededFuture(null)
                            : authoritative(context, name, new Name(zone, 1), type);
                });
    }

    private static Future<@Nullable AnswerRecords> ask(
            CheckContext context, Name name, List<Name> servers, int index, int type) {
        if (index >= Math.min(servers.size(), MAX_NAMESERVERS)) {
            return Future.succeededFuture(null);
        }
        NameserverProbe probe = context.probe(NameserverProbe.class);
        Host host = new Host(DnsResolver.text(servers.get(index)), null);
        return probe.addresses(context, host, 1)
                .compose(addresses -> probe.query(
                        context, new NameserverAddress(host, addresses.get(0)), Query.iterative(name, type)))
                .compose(response -> response.authoritative()
                        ? shown(probe, name, type, response).<@Nullable AnswerRecords>map(records -> records)
                        : ask(context, name, servers, index + 1, type))
                .recover(cause -> cause instanceof CheckFailure failure && isOfServer(failure.error(), name)
                        ? ask(context, name, servers, index + 1, type)
                        : Future.failedFuture(cause));
    }

    @Override
    public Report evaluate(Evidence evidence, Options options, Findings findings) {
        List<Answer> answered = evidence.answers().stream()
                .filter(answer -> answer.has(records -> !records.failed()))
                .toList();
        AnswerRecords authoritative = evidence.authoritative();
        boolean comparable = authoritative != null && !authoritative.incomplete() && !authoritative.failed();
        AnswerRecords expected = comparable ? authoritative : AnswerRecords.mostCommon(answered);
        List<Answer> equal = answered.stream()
                .filter(answer -> answer.has(records -> records.sameAs(expected)))
                .toList();
        reportIfAny(servers(evidence.answers(), answer -> answer.error() != null), findings::unresponsiveResolvers);
        reportIfAny(
                evidence.answers().stream()
                        .filter(answer -> answer.has(AnswerRecords::failed))
                        .map(answer -> answer.server() + " (" + rcode(answer) + ")")
                        .toList(),
                findings::resolverErrors);
        if (!comparable) {
            findings.authoritativeRecordsUnknown(DnsRecordRow.text(evidence.name()));
        }
        if (!answered.isEmpty() && expected != null) {
            compare(evidence, answered, equal, expected, options, findings);
        } else {
            findings.error(evidence.answers().stream()
                    .flatMap(answer -> Stream.ofNullable(answer.error()))
                    .findFirst()
                    .orElseGet(
                            () -> new CheckError(ErrorCode.DNS_SERVFAIL, "No public resolver returned the records.")));
        }
        return new Report(
                evidence.answers().stream().map(DnsPropagation::row).toList(),
                answered.isEmpty() ? null : Math.round(1_000.0 * equal.size() / answered.size()) / 10.0,
                authoritative == null ? List.of() : authoritative.texts());
    }

    private static void compare(
            Evidence evidence,
            List<Answer> answered,
            List<Answer> equal,
            AnswerRecords expected,
            Options options,
            Findings findings) {
        if (expected.nxdomain() && equal.size() == answered.size()) {
            findings.nameDoesNotExist(DnsRecordRow.text(evidence.name()));
        }
        List<Answer> others =
                answered.stream().filter(answer -> !equal.contains(answer)).toList();
        List<String> missing = servers(
                others,
                answer -> !expected.data().isEmpty()
                        && answer.has(records -> records.data().isEmpty()));
        reportIfAny(missing, findings::missingOnResolvers);
        List<String> differing = servers(others, answer -> !missing.contains(answer.server()));
        if (differing.isEmpty()) {
            return;
        }
        long ttl = others.stream()
                .flatMap(answer -> Stream.ofNullable(answer.records()))
                .mapToLong(AnswerRecords::ttl)
                .max()
                .orElse(0);
        if (LOCATED.contains(options.text("type"))) {
            findings.addressesDiffer(differing.size(), answered.size(), differing);
        } else {
            findings.recordsDiffer(differing.size(), answered.size(), differing, ttl);
        }
    }

    private static List<String> servers(List<Answer> answers, Predicate<Answer> condition) {
        return answers.stream().filter(condition).map(Answer::server).toList();
    }

    private static @Nullable String rcode(Answer answer) {
        return answer.records() == null ? null : Rcode.string(answer.records().rcode());
    }

    private static Row row(Answer answer) {
        return new Row(
                answer.server(),
                rcode(answer),
                answer.records() == null ? List.of() : answer.records().texts(),
                answer.records() == null ? null : Math.round(answer.timeMs() * 10) / 10.0);
    }
}
