package dev.plumbline.module.mail;

import static dev.plumbline.sheet.FindingCollector.reportIfAny;

import com.google.auto.service.AutoService;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckModule;
import dev.plumbline.check.RegisteredModule;
import dev.plumbline.dns.DnsResponse;
import dev.plumbline.module.mail.record.MailHosts;
import dev.plumbline.probe.dns.DnsProbe;
import dev.plumbline.sheet.FindingCollector;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.Target;
import io.vertx.core.Future;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Type;

/** The TLSRPT record of a domain: the addresses for reports about TLS failures of senders (RFC 8460). */
@AutoService(RegisteredModule.class)
public final class TlsRpt implements CheckModule<TlsRpt.Evidence, TlsRpt.Report, TlsRpt.Findings> {
    private static final String PREFIX = "_smtp._tls.";
    private static final int MAX_ERROR_FINDINGS = 5;

    public record Report(@Nullable String record, List<String> rua, boolean valid) {}

    public interface Findings extends FindingCollector {
        void tlsRptMissing(String domain);

        void notRequired(String domain);

        void severalRecords(int count, String domain);

        void lookalike(String text);

        void noReportAddress(String domain);

        void syntaxError(String error);

        void unknownTag(List<String> tags);
    }

    /**
     * @param records the texts with the version of a TLSRPT record
     * @param lookalike a text that resembles a TLSRPT record but is not one, null if there is none
     * @param hosts the mail servers; null if they were not looked up, because there is a record
     */
    public record Evidence(
            String domain, List<String> records, @Nullable String lookalike, @Nullable MailHosts hosts) {}

    @Override
    public Future<Evidence> collect(Target target, CheckContext context) {
        String text = target.text();
        String domain = text.startsWith(PREFIX) ? text.substring(PREFIX.length()) : text;
        DnsProbe dns = context.probe(DnsProbe.class);
        Future<Void> admission = dns.admit(context, domain);
        Future<DnsResponse> response = dns.query(context, PREFIX + domain, Type.TXT);
        return admission.compose(admitted -> response).map(DnsResponse::texts).compose(texts -> {
            List<String> records = TlsRptRecord.VERSION.records(texts);
            String lookalike = TlsRptRecord.VERSION.lookalike(texts);
            if (!records.isEmpty()) {
                return Future.succeededFuture(new Evidence(domain, records, lookalike, null));
            }
            return dns.query(context, domain, Type.A)
                    .compose(DnsProbe::requireName)
                    .compose(exists -> MailHosts.lookup(context, domain))
                    .map(hosts -> new Evidence(domain, records, lookalike, hosts));
        });
    }

    @Override
    public Report evaluate(Evidence evidence, Options options, Findings findings) {
        String domain = evidence.domain();
        int count = evidence.records().size();
        if (evidence.lookalike() != null) {
            findings.lookalike(evidence.lookalike());
        }
        if (count != 1) {
            MailHosts hosts = evidence.hosts();
            if (count > 1) {
                findings.severalRecords(count, domain);
            } else if (hosts != null && hosts.nullMx()) {
                findings.notRequired(domain);
            } else {
                findings.tlsRptMissing(domain);
            }
            return new Report(null, List.of(), false);
        }
        String text = evidence.records().get(0);
        TlsRptRecord record = TlsRptRecord.parse(text);
        if (record.usable() == 0) {
            findings.noReportAddress(domain);
        }
        record.errors().stream().limit(MAX_ERROR_FINDINGS).forEach(findings::syntaxError);
        reportIfAny(record.unknownTags(), findings::unknownTag);
        return new Report(
                text, record.addresses(), record.usable() > 0 && record.errors().isEmpty());
    }
}
