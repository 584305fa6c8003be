package dev.plumbline.module.tls;

import com.google.auto.service.AutoService;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.CheckModule;
import dev.plumbline.check.RegisteredModule;
import dev.plumbline.dnssec.DnssecFailure.Reason;
import dev.plumbline.dnssec.DnssecStatus;
import dev.plumbline.module.tls.TlsaMatcher.Problem;
import dev.plumbline.probe.certificate.CertificateProbe;
import dev.plumbline.probe.dns.DnsProbe;
import dev.plumbline.probe.dns.TlsaLookup;
import dev.plumbline.probe.dns.ValidatedLookup;
import dev.plumbline.probe.starttls.StartTlsPeer;
import dev.plumbline.probe.starttls.StartTlsProbe;
import dev.plumbline.probe.starttls.StartTlsProtocol;
import dev.plumbline.probe.tls.TlsPeer;
import dev.plumbline.probe.tls.TlsProbe;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.sheet.FindingCollector;
import dev.plumbline.sheet.NullOnError;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.Host;
import dev.plumbline.target.Target;
import dev.plumbline.tls.CertificateEvidence;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.TLSARecord;
import org.xbill.DNS.utils.base16;

/** Validates the TLSA records of a server, and compares them with its certificate. */
@AutoService(RegisteredModule.class)
public final class DaneTlsa implements CheckModule<DaneTlsa.Evidence, DaneTlsa.Report, DaneTlsa.Findings> {

    /** A TLSA record. {@code problem} is null if it was not compared with a certificate. */
    public record TlsaRow(int usage, int selector, int matchingType, String data, @Nullable Problem problem) {}

    /** The fields of the report. Beside an error, dnssecSecure can be null. */
    public record Report(List<TlsaRow> records, @NullOnError Boolean dnssecSecure, @Nullable Boolean matches) {}

    public interface Findings extends FindingCollector {
        void lookupBogus(String name, Reason cause);

        void notSecure(String name);

        void tlsaMissing(String name);

        void noMatch(String name);

        void hostnameMismatch(String host);

        void certificateExpired(String host);

        void notTrusted(String host);

        void starttlsNotOffered(String command);

        void unusableRecords(List<String> records);

        void unusedUsage(List<String> records);

        void otherRecords(List<String> records);

        void fullCertificate(List<String> records);
    }

    /**
     * @param name the owner of the TLSA records
     * @param host for which the certificate must be valid
     * @param protocol the protocol before TLS; null for TLS from the start
     * @param certificate null if no certificate was received
     * @param error why no certificate was received; null if one was, or if there are no records
     * @param offered whether the server supports STARTTLS; null if unknown
     */
    public record Evidence(
            String name,
            String host,
            @Nullable StartTlsProtocol protocol,
            ValidatedLookup lookup,
            @Nullable CertificateEvidence certificate,
            @Nullable CheckError error,
            @Nullable Boolean offered) {}

    @Override
    public Future<Evidence> collect(Target target, CheckContext context) {
        Target.HostPort to = (Target.HostPort) target;
        if (to.host().literal() != null) {
            return Future.failedFuture(
                    new CheckFailure(ErrorCode.INVALID_TARGET, "TLSA records require a hostname, not an address."));
        }
        String host = to.host().name();
        return context.probe(DnsProbe.class)
                .admitWithoutAddresses(context, host)
                .compose(admitted -> TlsaLookup.of(context, host, to.port()))
                .compose(base -> base.lookup().records().isEmpty()
                        ? Future.succeededFuture(evidence(to, base, null, null, null))
                        : connect(context.patiently(), to, base));
    }

    private static Future<Evidence> connect(CheckContext context, Target.HostPort to, TlsaLookup base) {
        StartTlsProtocol protocol = StartTlsProtocol.ofPort(to.port());
        if (protocol == null) {
            return context.probe(TlsProbe.class)
                    .handshake(context, to.host(), to.port(), base.host())
                    .compose(peer -> examine(context, to, base, peer, null))
                    .recover(CheckFailure.otherwise(error -> evidence(to, base, null, error, null)));
        }
        return context.probe(StartTlsProbe.class)
                .handshake(context, to, protocol, base.host())
                .compose(dialog -> examine(context, to, base, dialog))
                .recover(CheckFailure.otherwise(error -> evidence(to, base, null, error, null)));
    }

    private static Future<Evidence> examine(
            CheckContext context, Target.HostPort to, TlsaLookup base, StartTlsPeer dialog) {
        TlsPeer peer = dialog.peer();
        return peer == null
                ? Future.succeededFuture(evidence(to, base, null, dialog.error(), dialog.offered()))
                : examine(context, to, base, peer, dialog.offered());
    }

    private static Future<Evidence> examine(
            CheckContext context, Target.HostPort to, TlsaLookup base, TlsPeer peer, @Nullable Boolean offered) {
        return context.probe(CertificateProbe.class)
                .examine(context, peer, new Host(base.host(), null), false)
                .map(certificate -> evidence(to, base, certificate, null, offered));
    }

    private static Evidence evidence(
            Target.HostPort to,
            TlsaLookup base,
            @Nullable CertificateEvidence certificate,
            @Nullable CheckError error,
            @Nullable Boolean offered) {
        return new Evidence(
                base.name(),
                base.host(),
                StartTlsProtocol.ofPort(to.port()),
                base.lookup(),
                certificate,
                error,
                offered);
    }

    @Override
    public Report evaluate(Evidence evidence, Options options, Findings findings) {
        ValidatedLookup lookup = evidence.lookup();
        List<TLSARecord> records = lookup.records().stream()
                .filter(TLSARecord.class::isInstance)
                .map(TLSARecord.class::cast)
                .toList();
        findings.error(lookup.error());
        if (lookup.status() == DnssecStatus.BOGUS && lookup.result().failure() != null) {
            findings.lookupBogus(evidence.name(), lookup.result().failure().reason());
        } else if (records.isEmpty() && lookup.error() == null) {
            findings.tlsaMissing(evidence.name());
        } else if (lookup.status() == DnssecStatus.INSECURE) {
            findings.notSecure(evidence.name());
        }
        CertificateEvidence certificate = evidence.certificate();
        if (certificate == null && !records.isEmpty()) {
            if (lookup.secure() && Boolean.FALSE.equals(evidence.offered()) && evidence.protocol() != null) {
                findings.starttlsNotOffered(evidence.protocol().command());
            } else {
                findings.error(evidence.error());
            }
        }
        List<Problem> problems = new ArrayList<>();
        List<Problem> used = new ArrayList<>();
        List<TlsaRow> rows = new ArrayList<>();
        TlsaMatcher matcher = certificate == null ? null : new TlsaMatcher(certificate);
        for (TLSARecord record : records) {
            Problem problem =
                    matcher != null ? matcher.compare(record) : TlsaMatcher.isUsable(record) ? null : Problem.UNUSABLE;
            if (problem != null) {
                problems.add(problem);
                if (isUsed(evidence, record)) {
                    used.add(problem);
                }
            }
            rows.add(new TlsaRow(
                    record.getCertificateUsage(),
                    record.getSelector(),
                    record.getMatchingType(),
                    base16.toString(record.getCertificateAssociationData()),
                    problem));
        }
        Problem closest = TlsaMatcher.closest(used);
        evaluateRecords(evidence, records, problems, closest, findings);
        return new Report(
                rows,
                lookup.error() == null ? (Boolean) lookup.secure() : null,
                certificate == null || closest == null ? null : (Boolean) (closest == Problem.NONE));
    }

    private static void evaluateRecords(
            Evidence evidence,
            List<TLSARecord> records,
            List<Problem> problems,
            @Nullable Problem closest,
            Findings findings) {
        // clients ignore records that are not secured by DNSSEC
        if (closest != null
                && evidence.certificate() != null
                && evidence.lookup().secure()) {
            switch (closest) {
                case NO_MATCH -> findings.noMatch(evidence.name());
                case HOSTNAME_MISMATCH -> findings.hostnameMismatch(evidence.host());
                case EXPIRED -> findings.certificateExpired(evidence.host());
                case NOT_TRUSTED -> findings.notTrusted(evidence.host());
                case NONE, UNUSABLE -> {}
            }
        }
        List<String> unusable = new ArrayList<>();
        List<String> unused = new ArrayList<>();
        List<String> others = new ArrayList<>();
        List<String> exact = new ArrayList<>();
        for (int i = 0; i < records.size(); i++) {
            TLSARecord record = records.get(i);
            if (!TlsaMatcher.isUsable(record)) {
                unusable.add(parameters(record));
                continue;
            }
            if (!isUsed(evidence, record)) {
                unused.add(parameters(record));
            } else if (closest == Problem.NONE && problems.get(i) != Problem.NONE) {
                others.add(parameters(record));
            }
            if (TlsaMatcher.isExact(record)) {
                exact.add(parameters(record));
            }
        }
        FindingCollector.reportIfAny(unusable, findings::unusableRecords);
        FindingCollector.reportIfAny(unused, findings::unusedUsage);
        FindingCollector.reportIfAny(others, findings::otherRecords);
        FindingCollector.reportIfAny(exact, findings::fullCertificate);
    }

    /** SMTP clients do not use records that require a public root (RFC 7672 section 3.1.3). */
    private static boolean isUsed(Evidence evidence, TLSARecord record) {
        return evidence.protocol() != StartTlsProtocol.SMTP || !TlsaMatcher.requiresPublicRoot(record);
    }

    private static String parameters(TLSARecord record) {
        return record.getCertificateUsage() + " " + record.getSelector() + " " + record.getMatchingType();
    }
}
