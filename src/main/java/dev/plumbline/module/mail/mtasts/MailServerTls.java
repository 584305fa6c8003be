package dev.plumbline.module.mail.mtasts;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.concurrent.ContextFutures;
import dev.plumbline.probe.certificate.CertificateProbe;
import dev.plumbline.probe.starttls.StartTlsPeer;
import dev.plumbline.probe.starttls.StartTlsProbe;
import dev.plumbline.probe.starttls.StartTlsProtocol;
import dev.plumbline.probe.tls.TlsPeer;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.target.Host;
import dev.plumbline.target.Target;
import dev.plumbline.tls.CertificateEvaluation;
import dev.plumbline.tls.CertificateEvidence;
import dev.plumbline.tls.CertificateProblem;
import io.vertx.core.Future;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Whether a mail server supports STARTTLS with a certificate that is valid for its name (RFC 8461 section 4.2).
 *
 * @param problem why it does not; null if it does, or if that is unknown
 * @param unknown why that is unknown; null if it is known
 */
record MailServerTls(String host, @Nullable String problem, @Nullable String unknown) {
    private static final int SMTP_PORT = 25;
    private static final long TIMEOUT_MS = 3_000;

    /** Problems that cause only clients with strict settings to reject the certificate. */
    private static final Set<CertificateProblem> TOLERATED =
            EnumSet.of(CertificateProblem.WEAK_KEY, CertificateProblem.WEAK_SIGNATURE);

    /** Connects to servers. Fails if the limits of this service did not allow a connection before the deadline. */
    static Future<List<MailServerTls>> test(CheckContext context, List<String> hosts) {
        long timeout = Math.min(TIMEOUT_MS, context.deadline().remainingMillis() / 2);
        CheckContext share = context.within(context.deadline().atMost(timeout));
        return ContextFutures.all(hosts, host -> test(share, host));
    }

    private static Future<MailServerTls> test(CheckContext context, String name) {
        Host host = new Host(name, null);
        return context.probe(StartTlsProbe.class)
                .handshake(context, new Target.HostPort(host, SMTP_PORT, false), StartTlsProtocol.SMTP, name)
                .compose(dialog -> examine(context, host, dialog))
                .recover(CheckFailure.otherwise(ErrorCode.DEADLINE_EXCEEDED, error -> unknown(name, error)));
    }

    private static Future<MailServerTls> examine(CheckContext context, Host host, StartTlsPeer dialog) {
        TlsPeer peer = dialog.peer();
        if (peer != null && peer.failure() != null && !peer.clientCertificateRequested()) {
            // other clients may accept the certificate
            return Future.succeededFuture(unknown(host.name(), peer.failure()));
        }
        if (peer != null) {
            return context.probe(CertificateProbe.class)
                    .examine(context, peer, host, false)
                    .map(certificate -> new MailServerTls(host.name(), problem(certificate), null));
        }
        CheckError error = Objects.requireNonNull(dialog.error(), "the dialog has neither a handshake nor an error");
        return Future.succeededFuture(
                dialog.outcome() == StartTlsPeer.Outcome.NOT_OFFERED
                        ? new MailServerTls(host.name(), error.message(), null)
                        : unknown(host.name(), error));
    }

    private static MailServerTls unknown(String host, CheckError error) {
        return new MailServerTls(host, null, error.message());
    }

    private static @Nullable String problem(CertificateEvidence certificate) {
        return CertificateEvaluation.problems(certificate).stream()
                .filter(problem -> !TOLERATED.contains(problem))
                .findFirst()
                .map(problem -> problem.sentence(certificate.path(), certificate.host(), certificate.at()))
                .orElse(null);
    }
}
