package dev.plumbline.probe.starttls;

import com.google.common.base.Strings;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.concurrent.ContextFutures;
import dev.plumbline.probe.starttls.StartTlsPeer.Outcome;
import dev.plumbline.probe.tls.TlsErrors;
import dev.plumbline.probe.tls.TlsPeer;
import dev.plumbline.probe.tls.TlsProbe;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.ErrorCode;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetSocket;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The STARTTLS dialogs of one check. There is more than one if the handshake is repeated with another TLS engine; the
 * last one counts. Confined to one event loop.
 */
final class StartTlsSession implements TlsProbe.Preamble {
    /** The maximum number of bytes that a server sends before TLS. */
    static final int MAX_BYTES = 16 * 1024;

    /** The maximum number of bytes of another protocol in the message of a binary dialog. */
    private static final int MAX_FOREIGN_BYTES = 200;

    private final Vertx vertx;
    private final StartTlsProtocol protocol;
    private final String host;
    private @Nullable Connection last;

    StartTlsSession(Vertx vertx, StartTlsProtocol protocol, String host) {
        this.vertx = vertx;
        this.protocol = protocol;
        this.host = host;
    }

    @Override
    public Future<Void> run(NetSocket socket, long millis) {
        Connection connection = new Connection(socket);
        last = connection;
        return connection.run(millis);
    }

    /** The result after the handshake. */
    StartTlsPeer completed(TlsPeer peer) {
        return result(peer, null);
    }

    /** The result if the dialog or the handshake failed; null if no connection was opened. */
    @Nullable
    StartTlsPeer failed(CheckFailure failure) {
        if (last == null) {
            return null;
        }
        if (last.outcome == Outcome.ACCEPTED && TlsErrors.isOtherProtocol(failure)) {
            last.plaintext = true;
            return result(
                    null,
                    new CheckError(
                            ErrorCode.TLS_HANDSHAKE_FAILED,
                            "The server sent data that is not TLS after its response to " + protocol.command() + "."));
        }
        return result(null, failure.error());
    }

    private StartTlsPeer result(@Nullable TlsPeer peer, @Nullable CheckError error) {
        Connection end = last;
        if (end == null) {
            throw new IllegalStateException("no connection was opened");
        }
        return new StartTlsPeer(
                end.outcome, end.response, end.dialog.banner(), end.dialog.offered(), end.plaintext, peer, error);
    }

    /** The dialog over one connection. */
    private final class Connection {
        private final NetSocket socket;
        private final StartTlsDialog dialog = protocol.newDialog(host);
        private final ByteArrayOutputStream unit = new ByteArrayOutputStream();
        private Outcome outcome = Outcome.INCOMPLETE;
        private String response = "";
        private boolean plaintext;
        private int received;

        Connection(NetSocket socket) {
            this.socket = socket;
        }

        Future<Void> run(long millis) {
            Promise<Void> done = ContextFutures.promise(vertx, millis, late -> late.tryFail(timeout(millis)));
            socket.exceptionHandler(broken -> done.tryFail(broken(broken)));
            socket.closeHandler(closed -> done.tryFail(failure(
                    ErrorCode.TLS_HANDSHAKE_FAILED, "The server closed the connection before the TLS handshake.")));
            socket.handler(bytes -> {
                if (!done.future().isComplete()) {
                    try {
                        receive(bytes, done);
                    } catch (RuntimeException thrown) {
                        done.tryFail(thrown);
                    }
                }
            });
            send(dialog.opening());
            return done.future();
        }

        private void send(String data) {
            if (!data.isEmpty()) {
                socket.write(Buffer.buffer(data.getBytes(charset())));
            }
        }

        private Charset charset() {
            return dialog.binary() ? StandardCharsets.ISO_8859_1 : StandardCharsets.UTF_8;
        }

        private void receive(Buffer bytes, Promise<Void> done) {
            for (int i = 0; i < bytes.length(); i++) {
                byte next = bytes.getByte(i);
                if (++received > MAX_BYTES) {
                    done.tryFail(failure(
                            ErrorCode.RESPONSE_TOO_LARGE,
                            "The server sent more than " + MAX_BYTES + " bytes before the TLS handshake."));
                    return;
                }
                unit.write(next);
                if (dialog.endsUnit((char) (next & 0xff))) {
                    String text = unit.toString(charset());
                    unit.reset();
                    StartTlsDialog.Step step = dialog.binary()
                            ? dialog.receive(text, rest(bytes, i + 1))
                            : dialog.receive(text.stripTrailing());
                    if (dialog.binary() && step.kind() == StartTlsDialog.Step.Kind.OTHER_PROTOCOL) {
                        // a binary dialog ends at the first byte of another protocol
                        step = StartTlsDialog.Step.end(step.kind(), text + firstLine(bytes, i + 1));
                    }
                    if (!proceed(step, i < bytes.length() - 1, done)) {
                        return;
                    }
                }
            }
        }

        private static String firstLine(Buffer bytes, int start) {
            return rest(bytes, start).lines().findFirst().orElse("");
        }

        private static String rest(Buffer bytes, int start) {
            return bytes.getString(
                    start, Math.min(bytes.length(), start + MAX_FOREIGN_BYTES), StandardCharsets.ISO_8859_1.name());
        }

        private boolean proceed(StartTlsDialog.Step step, boolean more, Promise<Void> done) {
            switch (step.kind()) {
                case SEND -> {
                    send(step.text());
                    return true;
                }
                case START_TLS -> {
                    outcome = Outcome.ACCEPTED;
                    plaintext = more;
                    send(step.text());
                    done.tryComplete();
                }
                default -> {
                    outcome = Outcome.valueOf(step.kind().name());
                    response = step.text();
                    send(dialog.closing());
                    done.tryFail(failure(ErrorCode.TLS_HANDSHAKE_FAILED, message()));
                }
            }
            return false;
        }

        private String message() {
            String name = protocol.title();
            return switch (outcome) {
                case NOT_OFFERED -> "The server does not support " + protocol.command() + ".";
                case REFUSED -> "The server rejected " + protocol.command() + ": " + response;
                case REJECTED -> "The " + name + " server rejected the connection: " + response;
                default -> "The server does not use " + name + " on this port.";
            };
        }

        private CheckFailure timeout(long millis) {
            String what = received == 0
                    ? "The server sent no data within %,d ms."
                    : "The " + protocol.title() + " dialog before the TLS handshake was not complete within %,d ms.";
            return failure(
                    ErrorCode.READ_TIMEOUT,
                    String.format(Locale.ROOT, what, millis) + " Increase timeout_ms if the server responds slowly.");
        }

        private static CheckFailure broken(Throwable cause) {
            boolean reset = cause instanceof IOException
                    && Strings.nullToEmpty(cause.getMessage())
                            .toLowerCase(Locale.ROOT)
                            .contains("reset");
            return reset
                    ? failure(ErrorCode.CONNECTION_RESET, "The server reset the connection before the TLS handshake.")
                    : failure(ErrorCode.TLS_HANDSHAKE_FAILED, "The connection was lost before the TLS handshake.");
        }

        private static CheckFailure failure(ErrorCode code, String message) {
            return new CheckFailure(code, message);
        }
    }
}
