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

/** The TLS versions, cipher suites, key exchange groups and optional features that a server supports. */
@AutoService(RegisteredModule.class)
public final class TlsProtocols implements CheckModule<TlsScanReport, TlsProtocols.Report, TlsProtocols.Findings> {
    private static final String CIPHERS = "ciphers";
    private static final String NO_STARTTLS = "none";

    public record Report(
            List<String> versions,
            boolean legacyEnabled,
            boolean tls13,
            List<String> alpn,
            List<AcceptedCipher> ciphers,
            List<String> weakCiphers,
            boolean forwardSecrecy,
            List<String> keyExchangeGroups,
            @Nullable Boolean serverPrefersOrder,
            @Nullable Boolean postQuantum,
            @Nullable Boolean extendedMasterSecret,
            @Nullable Boolean secureRenegotiation,
            @Nullable Boolean clientRenegotiation,
            @Nullable Boolean earlyData,
            @Nullable Boolean compression,
            @Nullable Boolean fallbackScsv,
            @Nullable Boolean sessionTickets,
            @Nullable String keyExchangeHash,
            @Nullable Integer dhBits) {}

    /** The findings that other modules with a TLS scan do not have. */
    public interface Findings extends TlsScanFindings {
        void fallbackScsvMissing();

        void alpnUnknown();

        void scanLimitReached(int count);
    }

    @Override
    public int requests(Options options) {
        return options.flag(CIPHERS) ? TlsScanner.MAX_REQUESTS : CheckModule.super.requests(options);
    }

    @Override
    public Future<TlsScanReport> collect(Target target, CheckContext context) {
        Target.HostPort to = (Target.HostPort) target;
        String protocol = context.options().optionalText("starttls");
        return context.probe(TlsScanner.class)
                .scan(
                        context,
                        to.host(),
                        to.port(),
                        context.options().flag(CIPHERS) ? TlsScanScope.ALL_CIPHERS : TlsScanScope.WEAK_CIPHERS,
                        protocol == null || protocol.equals(NO_STARTTLS)
                                ? null
                                : context.probe(StartTlsProbe.class)
                                        .preambles(
                                                StartTlsProtocol.of(protocol),
                                                to.host().name()));
    }

    @Override
    public Report evaluate(TlsScanReport scan, Options options, Findings findings) {
        TlsScanEvaluation evaluation = new TlsScanEvaluation(scan);
        evaluation.report(findings);
        if (Boolean.FALSE.equals(scan.features().fallbackScsv())
                && evaluation.versions().stream().anyMatch(TlsVersion::legacy)) {
            findings.fallbackScsvMissing();
        }
        evaluation.reportMissingResponses(findings);
        if (scan.alpnUnknown()) {
            findings.alpnUnknown();
        }
        if (scan.unasked() > 0 && options.flag(CIPHERS)) {
            findings.scanLimitReached(scan.unasked());
        } else if (scan.unasked() > 0) {
            findings.connectionLimitReached(scan.unasked());
        }
        TlsFeatures features = scan.features();
        return new Report(
                TlsScanEvaluation.titles(evaluation.versions()),
                evaluation.versions().stream().anyMatch(TlsVersion::legacy),
                evaluation.versions().contains(TlsVersion.TLS_1_3),
                scan.alpn(),
                evaluation.ciphers(),
                evaluation.weakCiphers(),
                evaluation.forwardSecrecy(),
                evaluation.groups(),
                scan.prefersOrder(),
                features.postQuantum(),
                features.extendedMasterSecret(),
                features.secureRenegotiation(),
                features.clientRenegotiation(),
                features.earlyData(),
                features.compression(),
                features.fallbackScsv(),
                features.sessionTickets(),
                evaluation.keyExchangeHash(),
                evaluation.smallestPrime());
    }
}
