package dev.plumbline.module.registry;

import static dev.plumbline.module.registry.DomainRegistrationDescription.DESCRIPTION;
import static dev.plumbline.module.registry.DomainRegistrationDescription.EXPIRED;
import static dev.plumbline.module.registry.DomainRegistrationDescription.EXPIRES_SOON;
import static dev.plumbline.module.registry.DomainRegistrationDescription.NOT_REGISTERED;
import static dev.plumbline.module.registry.DomainRegistrationDescription.NOT_UNDERSTOOD;
import static dev.plumbline.module.registry.DomainRegistrationDescription.NO_EXPIRY;
import static dev.plumbline.module.registry.DomainRegistrationDescription.NO_NAMESERVERS;
import static dev.plumbline.module.registry.DomainRegistrationDescription.NO_TRANSFER_LOCK;
import static dev.plumbline.module.registry.DomainRegistrationDescription.ONE_NAMESERVER;
import static dev.plumbline.module.registry.DomainRegistrationDescription.ON_HOLD;
import static dev.plumbline.module.registry.DomainRegistrationDescription.RDAP;
import static dev.plumbline.module.registry.DomainRegistrationDescription.RDAP_FAILED;
import static dev.plumbline.module.registry.DomainRegistrationDescription.SOURCE;
import static dev.plumbline.module.registry.DomainRegistrationDescription.TO_BE_DELETED;
import static dev.plumbline.module.registry.DomainRegistrationDescription.UNSIGNED;
import static dev.plumbline.module.registry.DomainRegistrationDescription.WHOIS;

import com.google.auto.service.AutoService;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckError;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.Deadline;
import dev.plumbline.check.ErrorCode;
import dev.plumbline.check.Evaluation;
import dev.plumbline.check.Finding;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.ModuleDescription;
import dev.plumbline.check.Options;
import dev.plumbline.check.Target;
import dev.plumbline.egress.RegistrableDomains;
import dev.plumbline.probe.registry.RdapProbe;
import dev.plumbline.probe.registry.RdapResponse;
import dev.plumbline.probe.registry.WhoisProbe;
import dev.plumbline.probe.registry.WhoisResponse;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Who has registered a domain, with whom and until when. */
@AutoService(ModuleDefinition.class)
public final class DomainRegistration implements ModuleDefinition<DomainRegistration.Evidence> {
    private static final RegistrableDomains DOMAINS = new RegistrableDomains();

    private static final int SOON_DAYS = 30;
    private static final int OK = 200;
    private static final int NOT_FOUND = 404;
    private static final int TOO_MANY_REQUESTS = 429;
    private static final int FORBIDDEN = 403;

    /**
     * What was learnt.
     *
     * @param seen null when nobody could be asked
     * @param source who told it: rdap, whois or none
     * @param rdapError why RDAP did not tell it, null when it did or was not asked
     */
    public record Evidence(
            String domain,
            Instant at,
            @Nullable RegistrationRecord seen,
            String source,
            @Nullable CheckError rdapError) {}

    @Override
    public ModuleDescription description() {
        return DESCRIPTION;
    }

    @Override
    public Future<Evidence> collect(Target target, CheckContext context) {
        String name = ((Target.Domain) target).name();
        if (DOMAINS.isRegistrySuffix(name)) {
            return Future.failedFuture(new CheckFailure(
                    ErrorCode.INVALID_TARGET,
                    name
                            + " is a public suffix, below which domains are registered. Give a domain below"
                            + " it, such as example."
                            + name
                            + "."));
        }
        String domain = DOMAINS.registered(name);
        String source = String.valueOf(context.options().text(SOURCE));
        if (source.equals(WHOIS)) {
            return byWhois(context, domain, null);
        }
        boolean alone = source.equals(RDAP);
        Deadline share = context.deadline().atMost(context.deadline().remainingMillis() / 2);
        return byRdap(alone ? context : context.within(share), domain).transform(told -> {
            if (told.succeeded() && (alone || told.result().seen() != null)) {
                return Future.succeededFuture(told.result());
            }
            if (alone || told.failed() && !(told.cause() instanceof CheckFailure)) {
                return Future.failedFuture(told.cause());
            }
            CheckError error = told.cause() instanceof CheckFailure failure ? failure.error() : null;
            // RDAP would be asked anew if the check gave up now
            return byWhois(error == null ? context : context.patiently(), domain, error);
        });
    }

    private static Future<Evidence> byRdap(CheckContext context, String domain) {
        return context.probe(RdapProbe.class)
                .lookup(context, domain)
                .compose(reply -> reply.isEmpty()
                        ? Future.succeededFuture(nobody(context, domain, null))
                        : context.executeBlocking(() -> read(reply.get(), domain))
                                .map(seen -> new Evidence(domain, now(context), seen, RDAP, null)));
    }

    private static RegistrationRecord read(RdapResponse reply, String domain) throws CheckFailure {
        switch (reply.status()) {
            case OK -> {
                RegistrationRecord seen = RdapDomainParser.read(reply.body(), domain);
                if (seen != null) {
                    return seen;
                }
                throw new CheckFailure(
                        ErrorCode.HTTP_PROTOCOL_ERROR,
                        reply.server() + " answered with what is no RDAP about " + domain + ".");
            }
            case NOT_FOUND -> {
                return RegistrationRecord.NONE;
            }
            case TOO_MANY_REQUESTS, FORBIDDEN ->
                throw new CheckFailure(ErrorCode.RATE_LIMITED, reply.server() + " asks to be asked less often.");
            default ->
                throw new CheckFailure(
                        ErrorCode.HTTP_PROTOCOL_ERROR,
                        reply.server() + " answered with status " + reply.status() + ".");
        }
    }

    private static Future<Evidence> byWhois(CheckContext context, String domain, @Nullable CheckError rdapError) {
        return context.probe(WhoisProbe.class).lookup(context, domain).compose(replies -> {
            if (!replies.isEmpty()) {
                return context.executeBlocking(() -> read(replies))
                        .map(seen -> new Evidence(domain, now(context), seen, WHOIS, rdapError));
            }
            return rdapError == null
                    ? Future.succeededFuture(nobody(context, domain, null))
                    : Future.failedFuture(new CheckFailure(rdapError.code(), rdapError.message()));
        });
    }

    private static RegistrationRecord read(List<WhoisResponse> replies) throws CheckFailure {
        if (WhoisParser.turnsAway(replies.get(0).text())) {
            throw new CheckFailure(ErrorCode.RATE_LIMITED, replies.get(0).server() + " asks to be asked less often.");
        }
        RegistrationRecord seen = WhoisParser.read(replies.get(0).text());
        for (WhoisResponse more : replies.subList(1, replies.size())) {
            if (Boolean.TRUE.equals(seen.registered())) {
                seen = seen.or(WhoisParser.read(more.text()));
            }
        }
        return seen;
    }

    private static Evidence nobody(CheckContext context, String domain, @Nullable CheckError error) {
        return new Evidence(domain, now(context), null, "none", error);
    }

    private static Instant now(CheckContext context) {
        return context.clock().instant();
    }

    @Override
    public Evaluation evaluate(Evidence evidence, Options options) {
        RegistrationRecord seen = evidence.seen();
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        fields.put("registrable_domain", evidence.domain());
        fields.put("source_used", evidence.source());
        fields.put("supported", seen != null);
        fields.put("statuses", seen == null ? List.of() : seen.statuses());
        fields.put("nameservers", seen == null ? List.of() : seen.nameservers());
        if (seen == null) {
            return new Evaluation(
                    fields,
                    List.of(),
                    new CheckError(
                            ErrorCode.UNSUPPORTED_TLD,
                            "There is no service to ask about the registration of " + evidence.domain() + "."));
        }
        Instant expires = seen.expires();
        Long days = expires == null ? null : days(evidence.at(), expires);
        fields.put("registered", seen.registered());
        fields.put("registrar", seen.registrar());
        fields.put("iana_id", seen.ianaId());
        fields.put("created", seen.created());
        fields.put("updated", seen.updated());
        fields.put("expires", expires);
        fields.put("days_remaining", days);
        fields.put("dnssec_signed", seen.dnssecSigned());
        fields.put("abuse_email", seen.abuseEmail());
        return Evaluation.of(fields, findings(evidence, seen, days));
    }

    /** Whole days, rounded down. */
    private static long days(Instant from, Instant to) {
        return Math.floorDiv(Duration.between(from, to).toSeconds(), 86_400);
    }

    private static List<Finding> findings(Evidence evidence, RegistrationRecord seen, @Nullable Long days) {
        List<Finding> found = new ArrayList<>();
        if (seen.registered() == null) {
            found.add(NOT_UNDERSTOOD.found());
        } else if (!seen.registered()) {
            found.add(NOT_REGISTERED.found(evidence.domain() + " is not registered."));
        } else {
            registered(seen, days, found);
        }
        CheckError error = evidence.rdapError();
        if (error != null) {
            found.add(RDAP_FAILED.found(RDAP_FAILED.message() + " " + error.message()));
        }
        return found;
    }

    private static void registered(RegistrationRecord seen, @Nullable Long days, List<Finding> found) {
        List<String> statuses = seen.statuses();
        if (statuses.contains("pendingDelete") || statuses.contains("redemptionPeriod")) {
            found.add(TO_BE_DELETED.found());
        }
        if (statuses.contains("clientHold") || statuses.contains("serverHold")) {
            found.add(ON_HOLD.found());
        }
        if (days == null) {
            found.add(NO_EXPIRY.found());
        } else if (days < 0) {
            found.add(EXPIRED.found("The registration expired on " + day(seen.expires()) + "."));
        } else if (days < SOON_DAYS) {
            found.add(EXPIRES_SOON.found("The registration ends on " + day(seen.expires()) + "."));
        }
        if (seen.nameservers().isEmpty()) {
            found.add(NO_NAMESERVERS.found());
        } else if (seen.nameservers().size() == 1) {
            found.add(ONE_NAMESERVER.found());
        }
        boolean epp = statuses.stream().anyMatch(status -> status.matches("(client|server).*|ok"));
        if (epp && statuses.stream().noneMatch(status -> status.endsWith("TransferProhibited"))) {
            found.add(NO_TRANSFER_LOCK.found());
        }
        if (Boolean.FALSE.equals(seen.dnssecSigned())) {
            found.add(UNSIGNED.found());
        }
    }

    private static LocalDate day(@Nullable Instant instant) {
        return LocalDate.ofInstant(instant == null ? Instant.EPOCH : instant, ZoneOffset.UTC);
    }
}
