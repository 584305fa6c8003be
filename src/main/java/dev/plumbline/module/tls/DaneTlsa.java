package dev.plumbline.module.tls;

import static dev.plumbline.sheet.FindingCollector.reportIfAny;

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
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.TLSARecord;
import org.xbill.DNS.TLSARecord.MatchingType;
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
     * @param protocol the protocol before TLS; null for TLS from the start
     * @param certificate null if no certificate was received
     * @param error why no certificate was received; null if one was, or if there are no records
     * @param offered whether the server supports STARTTLS; null if unknown
     */
    public record Evidence(
            TlsaLookup tlsa,
            @Nullable StartTlsProtocol protocol,
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
        StartTlsProtocol protocol = StartTlsProtocol.ofPort(to.port());
        return context.probe(DnsProbe.class)
                .admitWithoutAddresses(context, host)
                .compose(admitted -> TlsaLookup.of(context, host, to.port()))
                .compose(tlsa -> tlsa.lookup().records().isEmpty()
                        ? Future.succeededFuture(new Evidence(tlsa, protocol, null, null, null))
                        : connect(context.patiently(), to, tlsa, protocol)
                                .recover(CheckFailure.otherwise(
                                        error -> new Evidence(tlsa, protocol, null, error, null))));
    }

    private static Future<Evidence> connect(
            CheckContext context, Target.HostPort to, TlsaLookup tlsa, @Nullable StartTlsProtocol protocol) {
        if (protocol == null) {
            return context.probe(TlsProbe.class)
                    .handshake(context, to.host(), to.port(), tlsa.host())
                    .compose(peer -> examine(context, tlsa, null, peer, null));
        }
        return context.probe(StartTlsProbe.class)
                .handshake(context, to, protocol, tlsa.host())
                .compose(dialog -> {
                    TlsPeer peer = dialog.peer();
                    return peer == null
                            ? Future.succeededFuture(
                                    new Evidence(tlsa, protocol, null, dialog.error(), dialog.offered()))
                            : examine(context, tlsa, protocol, peer, dialog.offered());
                });
    }

    private static Future<Evidence> examine(
            CheckContext context,
            TlsaLookup tlsa,
            @Nullable StartTlsProtocol protocol,
            TlsPeer peer,
            @Nullable Boolean offered) {
        return context.probe(CertificateProbe.class)
                .examine(context, peer, new Host(tlsa.host(), null), false)
                .map(certificate -> new Evidence(tlsa, protocol, certificate, null, offered));
    }

    @Override
    public Report evaluate(Evidence evidence, Options options, Findings findings) {
        String name = evidence.tlsa().name();
        ValidatedLookup lookup = evidence.tlsa().lookup();
        List<TLSARecord> records = evidence.tlsa().records();
        findings.error(lookup.error());
        if (lookup.status() == DnssecStatus.BOGUS && lookup.result().failure() != null) {
            findings.lookupBogus(name, lookup.result().failure().reason());
        } else if (records.isEmpty() && lookup.error() == null) {
            findings.tlsaMissing(name);
        } else if (lookup.status() == DnssecStatus.INSECURE) {
            findings.notSecure(name);
        }
        CertificateEvidence certificate = evidence.certificate();
        if (certificate == null && !records.isEmpty()) {
            if (lookup.secure() && Boolean.FALSE.equals(evidence.offered()) && evidence.protocol() != null) {
                findings.starttlsNotOffered(evidence.protocol().command());
            } else {
                findings.error(evidence.error());
            }
        }
        TlsaMatcher matcher = certificate == null ? null : new TlsaMatcher(certificate);
        List<TlsaRow> rows = records.stream()
                .map(record -> new TlsaRow(
                        record.getCertificateUsage(),
                        record.getSelector(),
                        record.getMatchingType(),
                        base16.toString(record.getCertificateAssociationData()),
                        matcher != null
                                ? matcher.compare(record)
                                : TlsaMatcher.isUsable(record) ? null : Problem.UNUSABLE))
                .toList();
        Problem closest = TlsaMatcher.closest(rows.stream()
                .filter(row -> isUsed(evidence, row))
                .flatMap(row -> Stream.ofNullable(row.problem()))
                .toList());
        evaluateRecords(evidence, rows, closest, findings);
        return new Report(
                rows,
                lookup.error() == null ? (Boolean) lookup.secure() : null,
                certificate == null || closest == null ? null : (Boolean) (closest == Problem.NONE));
    }

    private static void evaluateRecords(
            Evidence evidence, List<TlsaRow> rows, @Nullable Problem closest, Findings findings) {
        String host = evidence.tlsa().host();
        // clients ignore records that are not secured by DNSSEC
        if (closest != null
                && evidence.certificate() != null
                && evidence.tlsa().lookup().secure()) {
            switch (closest) {
                case NO_MATCH -> findings.noMatch(evidence.tlsa().name());
                case HOSTNAME_MISMATCH -> findings.hostnameMismatch(host);
                case EXPIRED -> findings.certificateExpired(host);
                case NOT_TRUSTED -> findings.notTrusted(host);
                case NONE, UNUSABLE -> {}
            }
        }
        List<TlsaRow> usable =
                rows.stream().filter(row -> row.problem() != Problem.UNUSABLE).toList();
        reportIfAny(parameters(rows, row -> row.problem() == Problem.UNUSABLE), findings::unusableRecords);
        reportIfAny(parameters(usable, row -> !isUsed(evidence, row)), findings::unusedUsage);
        if (closest == Problem.NONE) {
            reportIfAny(
                    parameters(usable, row -> isUsed(evidence, row) && row.problem() != Problem.NONE),
                    findings::otherRecords);
        }
        reportIfAny(parameters(usable, row -> row.matchingType() == MatchingType.EXACT), findings::fullCertificate);
    }

    /** SMTP clients do not use records that require a public root (RFC 7672 section 3.1.3). */
    private static boolean isUsed(Evidence evidence, TlsaRow row) {
        return evidence.protocol() != StartTlsProtocol.SMTP || !TlsaMatcher.requiresPublicRoot(row.usage());
    }

    private static List<String> parameters(List<TlsaRow> rows, Predicate<TlsaRow> condition) {
        return rows.stream()
                .filter(condition)
                .map(row -> row.usage() + " " + row.selector() + " " + row.matchingType())
                .toList();
    }
}
