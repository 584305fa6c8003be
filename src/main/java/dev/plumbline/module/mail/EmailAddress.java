package dev.plumbline.module.mail;

import com.google.auto.service.AutoService;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.CheckModule;
import dev.plumbline.check.RegisteredModule;
import dev.plumbline.dns.DnsResolver;
import dev.plumbline.dns.DnsResponse;
import dev.plumbline.probe.dns.DnsProbe;
import dev.plumbline.probe.dns.HostAddresses;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.sheet.FindingCollector;
import dev.plumbline.sheet.NullOnError;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.EmailLocalPart;
import dev.plumbline.target.Target;
import io.vertx.core.Future;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.MXRecord;
import org.xbill.DNS.Type;

/**
 * The syntax of an e-mail address and the MX records of its domain. Does not connect to mail servers. They accept
 * unknown recipients or reject the client, and such connections look like address harvesting.
 */
@AutoService(RegisteredModule.class)
public final class EmailAddress
        implements CheckModule<EmailAddress.Evidence, EmailAddress.Report, EmailAddress.Findings> {

    private static final Set<String> ROLES = Set.copyOf(MailDomains.lines("role-accounts.txt"));

    /** The fields of the report. Boxed values are null only in a result with an error. */
    public record Report(
            boolean syntaxValid,
            @Nullable String normalized,
            @Nullable String localPart,
            @Nullable String domain,
            @NullOnError Boolean hasMx,
            @NullOnError Boolean nullMx,
            @NullOnError Boolean disposable,
            boolean roleAccount,
            @Nullable String suggestion) {}

    public interface Findings extends FindingCollector {
        void localPartEmpty();

        void localPartTooLong(int bytes);

        void addressTooLong(int characters);

        void misplacedDot();

        void commentInAddress();

        void quotationInvalid();

        void characterNotAllowed(String character);

        void domainNotFound(String domain);

        void nullMx(String domain);

        void noMailServer(String domain);

        void implicitMx(String domain);

        void disposableAddress(String domain);

        void domainMisspelled(String domain, String provider, String suggestion);

        void roleAccount(String name);

        void quotedLocalPart();

        void nonAsciiLocalPart();

        void addressTag(String tag, String base);
    }

    /**
     * @param mailServers the hosts of the MX records, a dot for the null MX; null if unknown
     * @param hasAddress whether the domain has an address; only looked up without MX records
     * @param error why the lookup failed; null if it succeeded
     */
    public record Evidence(
            Target.Email address, @Nullable List<String> mailServers, boolean hasAddress, @Nullable CheckError error) {}

    @Override
    public Future<Evidence> collect(Target target, CheckContext context) {
        Target.Email address = (Target.Email) target;
        DnsProbe dns = context.probe(DnsProbe.class);
        Future<Void> admission = dns.admit(context, address.domain());
        Future<DnsResponse> response = dns.query(context, address.domain(), Type.MX);
        return admission
                .compose(admitted -> response)
                .compose(DnsProbe::requireName)
                .compose(mx -> evidence(address, mx, context))
                .recover(CheckFailure.otherwise(error -> new Evidence(address, null, false, error)));
    }

    private static Future<Evidence> evidence(Target.Email address, DnsResponse response, CheckContext context) {
        List<String> hosts = response.records().stream()
                .map(record -> DnsResolver.text(((MXRecord) record).getTarget()))
                .map(host -> host.isEmpty() ? "." : host)
                .toList();
        if (!hosts.isEmpty()) {
            return Future.succeededFuture(new Evidence(address, hosts, false, null));
        }
        return context.probe(DnsProbe.class)
                .addresses(context, address.domain())
                .compose(HostAddresses::requireKnown)
                .map(addresses -> new Evidence(address, hosts, !addresses.ips().isEmpty(), null));
    }

    @Override
    public Report evaluate(Evidence evidence, Options options, Findings findings) {
        String local = evidence.address().local();
        String domain = evidence.address().domain();
        boolean valid = isValid(local, domain, findings);
        String normalized = valid ? EmailLocalPart.normalized(local) : null;
        List<String> servers = evidence.mailServers();
        boolean nullMx = servers != null && servers.equals(List.of("."));
        boolean disposable = MailDomains.isDisposable(domain)
                || servers != null && servers.stream().anyMatch(MailDomains::isDisposable);
        reportDelivery(evidence, nullMx, findings);
        String provider = MailDomains.similarProvider(domain);
        String suggestion = provider == null || normalized == null ? null : normalized + "@" + provider;
        if (provider != null && suggestion != null) {
            findings.domainMisspelled(domain, provider, suggestion);
        }
        if (disposable) {
            findings.disposableAddress(domain);
        }
        boolean role = normalized != null && reportLocalPart(normalized, domain, findings);
        CheckError error = evidence.error();
        boolean missing = error != null && error.code() == ErrorCode.DNS_NXDOMAIN;
        boolean known = servers != null || missing;
        return new Report(
                valid,
                normalized == null ? null : normalized + "@" + domain,
                normalized,
                domain,
                known ? servers != null && !servers.isEmpty() && !nullMx : null,
                known ? nullMx : null,
                known || disposable ? (Boolean) disposable : null,
                role,
                suggestion);
    }

    private static boolean isValid(String local, String domain, Findings findings) {
        EmailLocalPart.Fault fault = EmailLocalPart.fault(local);
        int length = local.length() + 1 + domain.length();
        if (fault == null) {
            if (length > Target.Email.MAX_LENGTH) {
                findings.addressTooLong(length);
            }
            return length <= Target.Email.MAX_LENGTH;
        }
        switch (fault) {
            case EMPTY -> findings.localPartEmpty();
            case TOO_LONG -> findings.localPartTooLong(local.getBytes(StandardCharsets.UTF_8).length);
            case DOT -> findings.misplacedDot();
            case COMMENT -> findings.commentInAddress();
            case QUOTATION -> findings.quotationInvalid();
            case CHARACTER -> findings.characterNotAllowed(name(EmailLocalPart.invalidCharacter(local)));
        }
        return false;
    }

    private static String name(int character) {
        return Character.isSpaceChar(character) ? "a space" : "'" + Character.toString(character) + "'";
    }

    private static void reportDelivery(Evidence evidence, boolean nullMx, Findings findings) {
        String domain = evidence.address().domain();
        CheckError error = evidence.error();
        List<String> servers = evidence.mailServers();
        findings.error(error);
        if (error != null && error.code() == ErrorCode.DNS_NXDOMAIN) {
            findings.domainNotFound(domain);
        } else if (nullMx) {
            findings.nullMx(domain);
        } else if (servers != null && servers.isEmpty()) {
            if (evidence.hasAddress()) {
                findings.implicitMx(domain);
            } else {
                findings.noMailServer(domain);
            }
        }
    }

    /** Returns whether the address is a role account (RFC 2142). */
    private static boolean reportLocalPart(String local, String domain, Findings findings) {
        int plus = EmailLocalPart.isQuoted(local) ? -1 : local.indexOf('+', 1);
        String name = (plus < 0 ? local : local.substring(0, plus)).toLowerCase(Locale.ROOT);
        boolean role = ROLES.contains(name) || name.endsWith("-request") || name.startsWith("owner-");
        if (role) {
            findings.roleAccount(name);
        }
        if (EmailLocalPart.isQuoted(local)) {
            findings.quotedLocalPart();
        }
        if (local.chars().anyMatch(c -> c >= 0x80)) {
            findings.nonAsciiLocalPart();
        }
        if (plus > 0) {
            findings.addressTag(local.substring(plus), local.substring(0, plus) + "@" + domain);
        }
        return role;
    }
}
