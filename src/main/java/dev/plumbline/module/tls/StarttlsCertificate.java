package dev.plumbline.module.tls;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import com.google.auto.service.AutoService;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.CheckModule;
import dev.plumbline.check.RegisteredModule;
import dev.plumbline.probe.dns.CaaLookup;
import dev.plumbline.probe.starttls.StartTlsPeer;
import dev.plumbline.probe.starttls.StartTlsProbe;
import dev.plumbline.probe.starttls.StartTlsProtocol;
import dev.plumbline.probe.tls.TlsPeer;
import dev.plumbline.sheet.NullOnError;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.Host;
import dev.plumbline.target.Target;
import dev.plumbline.tls.CertificateEvaluation;
import dev.plumbline.tls.CertificateEvidence;
import dev.plumbline.tls.CertificateFindings;
import dev.plumbline.tls.CertificateReport;
import io.vertx.core.Future;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The certificate of a server that starts TLS with STARTTLS, and whether it supports STARTTLS. */
@AutoService(RegisteredModule.class)
public final class StarttlsCertificate
        implements CheckModule<StarttlsCertificate.Evidence, StarttlsCertificate.Report, StarttlsCertificate.Findings> {
    private static final Set<Integer> IMPLICIT_TLS_PORTS = Set.of(443, 465, 636, 853, 990, 993, 995, 5223, 8443);

    /**
     * The fields of the report. {@code certificate} and {@code starttlsOffered} are null only in a result with an
     * error.
     */
    public record Report(
            @JsonUnwrapped @NullOnError CertificateReport certificate,
            @NullOnError Boolean starttlsOffered,
            @Nullable String banner,
            @Nullable Boolean caaFound) {}

    /** The findings about STARTTLS, in addition to those about the certificate. */
    public interface Findings extends CertificateFindings {
        void starttlsNotOffered(String command);

        void starttlsRefused(String command, String response);

        void connectionRejected(String protocol, String response);

        void protocolMismatch(String protocol, String response);

        void protocolSuggested(String protocol, String likely);

        void implicitTlsPort(int port);

        void plaintextAfterStarttls(String command);
    }

    /**
     * The result of the dialog, and the certificate if one was received.
     *
     * @param port the port of the target
     * @param caaFound whether CAA records apply to the hostname; null if unknown, or if the target is an address
     */
    public record Evidence(
            int port, StartTlsPeer dialog, @Nullable CertificateEvidence certificate, @Nullable Boolean caaFound) {
        Evidence withCaa(@Nullable Boolean found) {
            return new Evidence(port, dialog, certificate, found);
        }
    }

    @Override
    public Future<Evidence> collect(Target target, CheckContext context) {
        Target.HostPort to = (Target.HostPort) target;
        Future<@Nullable Boolean> caaFound = caaFound(context, to.host());
        return context.probe(StartTlsProbe.class)
                .handshake(context, to, protocol(context.options()), CertificateOptions.serverName(context))
                .compose(dialog -> {
                    TlsPeer peer = dialog.peer();
                    return peer == null
                            ? Future.succeededFuture(new Evidence(to.port(), dialog, null, null))
                            : CertificateOptions.examine(context, to.host(), peer)
                                    .map(certificate -> new Evidence(to.port(), dialog, certificate, null));
                })
                .compose(evidence -> caaFound.map(evidence::withCaa));
    }

    private static Future<@Nullable Boolean> caaFound(CheckContext context, Host host) {
        return host.literal() != null
                ? Future.succeededFuture()
                : CaaLookup.of(context, host.name())
                        .<@Nullable Boolean>map(caa -> caa.error() == null ? (Boolean) (caa.effective() != null) : null)
                        .recover(CheckFailure.otherwise(error -> null));
    }

    private static StartTlsProtocol protocol(Options options) {
        String protocol = options.optionalText("protocol");
        return protocol == null ? StartTlsProtocol.SMTP : StartTlsProtocol.of(protocol);
    }

    @Override
    public Report evaluate(Evidence evidence, Options options, Findings findings) {
        StartTlsPeer dialog = evidence.dialog();
        StartTlsProtocol protocol = protocol(options);
        findings.error(dialog.error());
        switch (dialog.outcome()) {
            case NOT_OFFERED -> findings.starttlsNotOffered(protocol.command());
            case REFUSED -> findings.starttlsRefused(protocol.command(), dialog.response());
            case REJECTED -> findings.connectionRejected(protocol.title(), dialog.response());
            case OTHER_PROTOCOL -> findings.protocolMismatch(protocol.title(), dialog.response());
            case ACCEPTED, INCOMPLETE -> {}
        }
        if (dialog.plaintextAfterCommand()) {
            findings.plaintextAfterStarttls(protocol.command());
        }
        if (dialog.outcome() != StartTlsPeer.Outcome.ACCEPTED) {
            suggestProtocol(evidence, protocol, findings);
        }
        CertificateEvidence certificate = evidence.certificate();
        CertificateReport report = certificate == null
                ? null
                : CertificateEvaluation.evaluate(certificate, options.optionalInteger("warn_days"), findings);
        return new Report(report, dialog.offered(), dialog.banner(), evidence.caaFound());
    }

    /** The protocol is not guessed, because a result must not depend on a table of ports. */
    private static void suggestProtocol(Evidence evidence, StartTlsProtocol protocol, Findings findings) {
        StartTlsProtocol byGreeting =
                StartTlsProtocol.ofGreeting(evidence.dialog().response());
        StartTlsProtocol likely = byGreeting == null ? StartTlsProtocol.ofPort(evidence.port()) : byGreeting;
        if (likely != null && likely != protocol) {
            findings.protocolSuggested(protocol.option(), likely.option());
        } else if (IMPLICIT_TLS_PORTS.contains(evidence.port())
                && evidence.dialog().outcome() == StartTlsPeer.Outcome.INCOMPLETE) {
            findings.implicitTlsPort(evidence.port());
        }
    }
}
