package dev.plumbline.module.tls;

import com.google.auto.service.AutoService;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckModule;
import dev.plumbline.check.RegisteredModule;
import dev.plumbline.probe.starttls.StartTlsProbe;
import dev.plumbline.probe.starttls.StartTlsProtocol;
import dev.plumbline.probe.tls.TlsFeatures;
import dev.plumbline.probe.tls.TlsScanReport;
import dev.plumbline.probe.tls.TlsScanScope;
import dev.plumbline.probe.tls.TlsScanner;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.Target;
import dev.plumbline.tls.TlsVersion;
import io.vertx.core.Future;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The problems of the TLS versions, cipher suites and optional features of a mail server. A scan with fewer connections
 * than that of {@link TlsProtocols}, and with lower levels.
 */
@AutoService(RegisteredModule.class)
public final class SmtpTls implements CheckModule<TlsScanReport, SmtpTls.Report, TlsScanFindings> {
    /** The maximum number of connections. Many mail servers permit no more than 10 to 50 per minute and client. */
    private static final int REQUESTS = 20;

    /**
     * The fields of the report. A list that can be incomplete is null, because rules of policies conclude from it that
     * the server does not accept anything else.
     */
    public record Report(
            List<String> versions,
            @Nullable Boolean legacyEnabled,
            @Nullable Boolean tls13,
            @Nullable List<AcceptedCipher> ciphers,
            List<String> weakCiphers,
            boolean forwardSecrecy,
            @Nullable List<String> keyExchangeGroups,
            @Nullable Boolean serverPrefersOrder,
            @Nullable Boolean extendedMasterSecret,
            @Nullable Boolean secureRenegotiation,
            @Nullable Boolean clientRenegotiation,
            @Nullable Boolean earlyData,
            @Nullable Boolean compression,
            @Nullable String keyExchangeHash,
            @Nullable Integer dhBits) {}

    @Override
    public int requests(Options options) {
        return REQUESTS;
    }

    @Override
    public Future<TlsScanReport> collect(Target target, CheckContext context) {
        Target.HostPort to = (Target.HostPort) target;
        return context.probe(TlsScanner.class)
                .scan(
                        context,
                        to.host(),
                        to.port(),
                        TlsScanScope.PROBLEMS,
                        context.probe(StartTlsProbe.class)
                                .preambles(StartTlsProtocol.SMTP, to.host().name()));
    }

    @Override
    public Report evaluate(TlsScanReport scan, Options options, TlsScanFindings findings) {
        TlsScanEvaluation evaluation = new TlsScanEvaluation(scan);
        evaluation.report(findings);
        evaluation.reportMissingResponses(findings);
        if (scan.unasked() > 0) {
            findings.connectionLimitReached(scan.unasked());
        }
        boolean complete = scan.unanswered() == 0 && scan.unasked() == 0;
        boolean legacy = evaluation.versions().stream().anyMatch(TlsVersion::legacy);
        boolean tls13 = evaluation.versions().contains(TlsVersion.TLS_1_3);
        TlsFeatures features = scan.features();
        return new Report(
                TlsScanEvaluation.titles(evaluation.versions()),
                legacy || scan.unknown().stream().noneMatch(TlsVersion::legacy) ? (Boolean) legacy : null,
                tls13 || !scan.unknown().contains(TlsVersion.TLS_1_3) ? (Boolean) tls13 : null,
                complete ? evaluation.ciphers() : null,
                evaluation.weakCiphers(),
                evaluation.forwardSecrecy(),
                complete ? evaluation.groups() : null,
                scan.prefersOrder(),
                features.extendedMasterSecret(),
                features.secureRenegotiation(),
                features.clientRenegotiation(),
                features.earlyData(),
                features.compression(),
                evaluation.keyExchangeHash(),
                evaluation.smallestPrime());
    }
}
