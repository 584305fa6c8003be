package dev.plumbline.probe.starttls;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.probe.tls.TlsProbe;
import dev.plumbline.target.Target;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * TLS handshakes after a STARTTLS dialog. Data that a server sends between its response to the command and the
 * handshake is discarded, because it is not protected (CVE-2011-0411 is the same error in servers).
 */
public final class StartTlsProbe {
    private final Vertx vertx;
    private final TlsProbe tls;

    public StartTlsProbe(Vertx vertx, TlsProbe tls) {
        this.vertx = vertx;
        this.tls = tls;
    }

    /**
     * The dialogs of a scan that opens many connections.
     *
     * @param name the name of the service, for XMPP
     */
    public Supplier<TlsProbe.Preamble> preambles(StartTlsProtocol protocol, String name) {
        return () -> new StartTlsSession(vertx, protocol, name);
    }

    /**
     * Performs the dialog and the handshake with the first address of a host that accepts a connection.
     *
     * @param serverName as in {@link TlsProbe#handshake}; for XMPP also the name of the service
     * @return a result with an error if the dialog or the handshake failed; fails with a {@link CheckFailure} if no
     *     connection was opened
     */
    public Future<StartTlsPeer> handshake(
            CheckContext context, Target.HostPort target, StartTlsProtocol protocol, @Nullable String serverName) {
        StartTlsSession session = new StartTlsSession(
                vertx, protocol, serverName == null ? target.host().name() : serverName);
        return tls.handshake(context, target.host(), target.port(), serverName, session)
                .map(session::completed)
                .recover(cause -> {
                    StartTlsPeer failed = cause instanceof CheckFailure failure ? session.failed(failure) : null;
                    return failed == null ? Future.failedFuture(cause) : Future.succeededFuture(failed);
                });
    }
}
