package dev.plumbline.module.registry;

import static dev.plumbline.sheet.FindingCollector.reportIfAny;

import com.google.auto.service.AutoService;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.CheckModule;
import dev.plumbline.check.RegisteredModule;
import dev.plumbline.egress.RegistrableDomains;
import dev.plumbline.probe.registry.RegistrationLookup;
import dev.plumbline.probe.registry.RegistrationRecord;
import dev.plumbline.probe.registry.RegistrationSource;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.QuantityText;
import dev.plumbline.sheet.FindingCollector;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.Target;
import io.vertx.core.Future;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The registration of a domain, from RDAP or WHOIS. */
@AutoService(RegisteredModule.class)
public final class DomainRegistration
        implements CheckModule<RegistrationLookup, DomainRegistration.Report, DomainRegistration.Findings> {
    private static final RegistrableDomains DOMAINS = new RegistrableDomains();
    private static final int SOON_DAYS = 30;

    public record Report(
            @Nullable Boolean registered,
            String registrableDomain,
            @Nullable String registrar,
            @Nullable Integer ianaId,
            @Nullable Instant created,
            @Nullable Instant updated,
            @Nullable Instant expires,
            @Nullable Long daysRemaining,
            List<String> statuses,
            List<String> nameservers,
            @Nullable Boolean dnssecSigned,
            @Nullable String abuseEmail,
            RegistrationSource sourceUsed,
            boolean supported) {}

    public interface Findings extends FindingCollector {
        void notRegistered(String domain);

        void responseUnrecognized(String domain);

        void aboutToBeDeleted(List<String> statuses);

        void onHold(List<String> statuses);

        void registrationExpired(LocalDate date);

        void registrationExpiresSoon(String timeLeft, String threshold);

        void noNameservers(String domain);

        void singleNameserver(String nameserver);

        void noTransferLock(List<String> statuses);

        void dnssecUnsigned(String domain);

        void expiryUnknown();

        void rdapFailed(String error);

        void referralFailed(String error);
    }

    @Override
    public Future<RegistrationLookup> collect(Target target, CheckContext context) {
        String name = ((Target.Domain) target).name();
        if (DOMAINS.isRegistrySuffix(name)) {
            return Future.failedFuture(new CheckFailure(
                    ErrorCode.INVALID_TARGET,
                    name + " is a public suffix. Enter a domain below it, for example example." + name + "."));
        }
        String domain = DOMAINS.registered(name);
        String source = context.options().text("source");
        return switch (source) {
            case "whois" -> RegistrationLookup.byWhois(context, domain);
            case "rdap" -> RegistrationLookup.byRdap(context, domain);
            default -> RegistrationLookup.byAnySource(context, domain);
        };
    }

    @Override
    public Report evaluate(RegistrationLookup evidence, Options options, Findings findings) {
        String domain = evidence.domain();
        RegistrationRecord known = evidence.registration();
        RegistrationRecord registration = known == null ? RegistrationRecord.UNKNOWN : known;
        Instant expires = registration.expires();
        Long days = expires == null
                ? null
                : Long.valueOf(
                        Math.floorDiv(Duration.between(evidence.time(), expires).toSeconds(), 86_400));
        if (known == null) {
            findings.error(
                    new CheckError(ErrorCode.UNSUPPORTED_TLD, "No RDAP or WHOIS server is known for " + domain + "."));
        } else if (known.registered() == null) {
            findings.responseUnrecognized(domain);
        } else if (!known.registered()) {
            findings.notRegistered(domain);
        } else {
            reportRegistered(domain, known, days, findings);
        }
        if (evidence.rdapError() != null) {
            findings.rdapFailed(evidence.rdapError().message());
        }
        if (evidence.referralError() != null) {
            findings.referralFailed(evidence.referralError().message());
        }
        return new Report(
                registration.registered(),
                domain,
                registration.registrar(),
                registration.ianaId(),
                registration.created(),
                registration.updated(),
                expires,
                days,
                registration.statuses(),
                registration.nameservers(),
                registration.dnssecSigned(),
                registration.abuseEmail(),
                evidence.source(),
                known != null);
    }

    private static void reportRegistered(
            String domain, RegistrationRecord registration, @Nullable Long days, Findings findings) {
        List<String> statuses = registration.statuses();
        List<String> nameservers = registration.nameservers();
        Instant expires = registration.expires();
        reportIfAny(matching(statuses, "pendingDelete|redemptionPeriod"), findings::aboutToBeDeleted);
        reportIfAny(matching(statuses, "(client|server)Hold"), findings::onHold);
        if (expires == null || days == null) {
            if (registration.complete().contains(RegistrationRecord.Part.EXPIRY)) {
                findings.expiryUnknown();
            }
        } else if (days < 0) {
            findings.registrationExpired(LocalDate.ofInstant(expires, ZoneOffset.UTC));
        } else if (days < SOON_DAYS) {
            findings.registrationExpiresSoon(QuantityText.days(days), QuantityText.days(SOON_DAYS));
        }
        if (registration.complete().contains(RegistrationRecord.Part.NAMESERVERS)) {
            if (nameservers.isEmpty()) {
                findings.noNameservers(domain);
            } else if (nameservers.size() == 1) {
                findings.singleNameserver(nameservers.get(0));
            }
        }
        // Registries without EPP statuses have other means against transfers.
        boolean epp = registration.complete().contains(RegistrationRecord.Part.STATUSES)
                && !matching(statuses, "(client|server).*|ok").isEmpty();
        if (epp && matching(statuses, ".*TransferProhibited").isEmpty()) {
            findings.noTransferLock(statuses);
        }
        if (Boolean.FALSE.equals(registration.dnssecSigned())) {
            findings.dnssecUnsigned(domain);
        }
    }

    private static List<String> matching(List<String> statuses, String pattern) {
        return statuses.stream().filter(status -> status.matches(pattern)).toList();
    }
}
