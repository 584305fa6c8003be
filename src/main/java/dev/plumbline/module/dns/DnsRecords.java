package dev.plumbline.module.dns;

import com.google.auto.service.AutoService;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckError;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.ErrorCode;
import dev.plumbline.check.Evaluation;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.ModuleDescription;
import dev.plumbline.check.Options;
import dev.plumbline.check.Target;
import dev.plumbline.dns.DnsResponse;
import dev.plumbline.probe.dns.DnsProbe;
import io.vertx.core.Future;
import java.security.SecureRandom;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Record;
import org.xbill.DNS.Type;

/** What the DNS says of a name. */
@AutoService(ModuleDefinition.class)
public final class DnsRecords implements ModuleDefinition<DnsRecords.Evidence> {
    static final String TYPES = "types";
    static final List<String> USUAL = List.of("A", "AAAA", "CNAME", "MX", "NS", "TXT", "SOA", "CAA", "HTTPS", "SRV");
    static final List<String> UNUSUAL = List.of("SVCB", "TLSA", "DS", "DNSKEY", "PTR", "NAPTR", "SSHFP", "URI");
    private static final int MOST_NAME = 253;

    /** A label that nobody has; the same all the time, so that the answers can be kept. */
    static final String NOBODYS_LABEL = "nobodys-" + Long.toString(new SecureRandom().nextLong() >>> 8, 36);

    /**
     * What came of one type: an answer, or why there is none.
     *
     * @param failure {@code target_blocked} when the answer may not be told
     */
    public record Lookup(String type, @Nullable DnsResponse answer, @Nullable CheckError failure) {
        boolean answered() {
            return answer != null && !answer.failed();
        }

        /** When nothing is known of the addresses, only they and the way to them are told. */
        Lookup unless(@Nullable CheckError doubt) {
            return doubt == null || !answered() || List.of("A", "AAAA", "CNAME").contains(type)
                    ? this
                    : new Lookup(type, null, doubt);
        }

        /** Whether there is something that may not be told. */
        boolean hidden() {
            return failure != null && failure.code() == ErrorCode.TARGET_BLOCKED;
        }

        /** Whether there is an alias or a record. */
        boolean found() {
            return hidden()
                    || answer != null
                            && !(answer.records().isEmpty() && answer.aliases().isEmpty());
        }

        List<Record> records() {
            return answer == null ? List.of() : answer.records();
        }
    }

    /**
     * All that was asked, in order.
     *
     * @param nobodys of a name below this one that nobody set up; null when it is too long for one
     * @param doubt why it is not known whether the name leads inside, null when it does not
     */
    public record Evidence(String name, List<Lookup> asked, @Nullable Lookup nobodys, @Nullable CheckError doubt) {
        /** Null when it could not be found out. */
        @Nullable
        Boolean wildcard() {
            if (nobodys == null) {
                return false;
            }
            return nobodys.answered() || nobodys.hidden() ? (Boolean) nobodys.found() : null;
        }
    }

    @Override
    public ModuleDescription description() {
        return DnsRecordsDescription.DESCRIPTION;
    }

    @Override
    public Future<Evidence> collect(Target target, CheckContext context) {
        String name = target.text();
        DnsProbe dns = context.probe(DnsProbe.class);
        List<String> given = context.options().list(TYPES);
        List<String> types = List.copyOf(new LinkedHashSet<>(given.isEmpty() ? USUAL : given));
        Future<Void> admitted = dns.admit(context, name);
        Future<@Nullable Lookup> nobodys = nobodys(context, dns, name, types);
        List<Future<Lookup>> asked =
                types.stream().map(type -> ask(context, dns, name, type)).toList();
        Future<Optional<CheckError>> doubt = admitted.map(fine -> Optional.<CheckError>empty())
                .recover(cause -> cause instanceof CheckFailure failure && !DnsProbe.isBlocked(cause)
                        ? Future.succeededFuture(Optional.of(doubt(failure.error())))
                        : Future.failedFuture(cause));
        return doubt.compose(fine -> Future.all(asked))
                .compose(done -> nobodys.map(below -> seen(
                        name,
                        asked.stream().map(Future::result).toList(),
                        below,
                        doubt.result().orElse(null))));
    }

    private static CheckError doubt(CheckError why) {
        return new CheckError(
                why.code(),
                "Whether the name leads to a private network could not be found out, so no more than its"
                        + " addresses is told. "
                        + why.message());
    }

    private static Evidence seen(String name, List<Lookup> asked, @Nullable Lookup below, @Nullable CheckError doubt) {
        Lookup nobodys =
                doubt != null && below != null && below.found() ? new Lookup(below.type(), null, doubt) : below;
        return new Evidence(name, asked.stream().map(one -> one.unless(doubt)).toList(), nobodys, doubt);
    }

    private static Future<Lookup> ask(CheckContext context, DnsProbe dns, String name, String type) {
        return dns.ask(context, name, Type.value(type))
                .map(answer -> new Lookup(type, answer, null))
                .recover(cause -> cause instanceof CheckFailure failure
                        ? Future.succeededFuture(new Lookup(type, null, failure.error()))
                        : Future.failedFuture(cause));
    }

    private static Future<@Nullable Lookup> nobodys(
            CheckContext context, DnsProbe dns, String name, List<String> types) {
        String nobodys = NOBODYS_LABEL + "." + name;
        return nobodys.length() > MOST_NAME
                ? Future.succeededFuture()
                : ask(context, dns, nobodys, types.contains("A") ? "A" : types.get(0))
                        .map(one -> one);
    }

    @Override
    public Evaluation evaluate(Evidence seen, Options options) {
        return new DnsRecordsEvaluation(seen).judgement();
    }
}
