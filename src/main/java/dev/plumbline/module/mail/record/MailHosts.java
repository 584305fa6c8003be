package dev.plumbline.module.mail.record;

import dev.plumbline.check.CheckContext;
import dev.plumbline.dns.DnsResolver;
import dev.plumbline.probe.dns.DnsLookupResult;
import dev.plumbline.probe.dns.DnsProbe;
import io.vertx.core.Future;
import java.util.Comparator;
import java.util.List;
import org.xbill.DNS.MXRecord;
import org.xbill.DNS.Name;

/**
 * The hosts that receive the mail of a domain (RFC 5321 section 5.1).
 *
 * @param known whether the MX lookup succeeded
 * @param nullMx whether the domain does not accept mail (RFC 7505)
 * @param names the hostnames in lower case without the final dot, without duplicates, by preference and name; the
 *     domain itself if it does not have MX records
 */
public record MailHosts(boolean known, boolean nullMx, List<String> names) {

    /** Looks up the MX records. A failed lookup is a result. */
    public static Future<MailHosts> lookup(CheckContext context, String domain) {
        return context.probe(DnsProbe.class).lookup(context, domain, "MX").map(mx -> of(mx, domain));
    }

    static MailHosts of(DnsLookupResult mx, String domain) {
        List<Name> targets = mx.records().stream()
                .map(MXRecord.class::cast)
                .sorted(Comparator.comparingInt(MXRecord::getPriority).thenComparing(MXRecord::getTarget))
                .map(MXRecord::getTarget)
                .toList();
        List<String> names = targets.stream()
                .filter(target -> !target.equals(Name.root))
                .map(DnsResolver::text)
                .distinct()
                .toList();
        boolean nullMx = !targets.isEmpty() && names.isEmpty();
        return new MailHosts(mx.succeeded(), nullMx, targets.isEmpty() ? List.of(domain) : names);
    }
}
