package dev.plumbline.probe.tls;

import com.google.common.base.Strings;
import dev.plumbline.check.BudgetFailures;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.result.ErrorCode;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.SslHandshakeTimeoutException;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;

/** Maps handshake failures to errors with a readable message. */
public final class TlsErrors {
    /** The form of BoringSSL errors: error:10000410:SSL routines:OPENSSL_internal:REASON. */
    private static final Pattern NATIVE_REASON = Pattern.compile("OPENSSL_internal:([A-Z0-9_]+)");

    private static final Pattern JDK_ALERT = Pattern.compile("Received fatal alert: ([a-z0-9_]+)");

    private static final String NOT_TLS = "The server does not use TLS on this port.";

    private static final Pattern NATIVE_ALERT = Pattern.compile("(?:SSLV3|TLSV1)_ALERT_([A-Z0-9_]+)");

    /** Errors after which an engine with other algorithms may succeed. */
    private static final Set<String> NEGOTIATION_ERRORS = Set.of(
            "handshake failure",
            "insufficient security",
            "illegal parameter",
            "internal error",
            "unsupported algorithm",
            "wrong signature type",
            "no common signature algorithms",
            "bad signature",
            "unsupported elliptic curve",
            "wrong curve",
            "decode error",
            "unknown cipher returned",
            "wrong cipher returned",
            "unknown key exchange type");

    private static final String ALERT = "The server rejected the TLS handshake with alert ";
    private static final String ALPN_ALERT = alertMessage("no application protocol");
    private static final String HANDSHAKE_ALERT = alertMessage("handshake failure");
    private static final String FAILED = "The TLS handshake failed";
    private static final String UNREADABLE = "The server certificate cannot be parsed.";
    private static final String NOT_SELECTED = "The server did not select an offered application protocol (ALPN).";

    private TlsErrors() {}

    /**
     * A {@link CheckFailure}; {@link NoSharedAlgorithms} if another engine may succeed, {@link UndecryptableHandshake}
     * if the same engine may succeed, and {@link dev.plumbline.check.OverloadFailure} if this node has no memory left.
     */
    public static Exception ofHandshake(Throwable failure, HandshakeLimitHandler limits) {
        Throwable cause = unwrap(failure);
        if (cause instanceof OutOfMemoryError) {
            return BudgetFailures.noNetworkMemory();
        }
        CheckFailure checkFailure = toFailure(failure, limits);
        if (UndecryptableHandshake.isCause(cause)) {
            return new UndecryptableHandshake(checkFailure);
        }
        return NEGOTIATION_ERRORS.contains(alert(cause)) || NEGOTIATION_ERRORS.contains(reason(cause))
                ? new NoSharedAlgorithms(checkFailure)
                : checkFailure;
    }

    static CheckFailure toFailure(Throwable failure, HandshakeLimitHandler limits) {
        Throwable cause = unwrap(failure);
        if (cause instanceof SslHandshakeTimeoutException) {
            return new CheckFailure(
                    ErrorCode.READ_TIMEOUT,
                    limits.silent()
                            ? "The TLS handshake timed out. The server sent no data."
                            : "The TLS handshake timed out.");
        }
        if (limits.exceeded()) {
            return handshakeFailed("The server sent too much data during the TLS handshake.");
        }
        if (!limits.otherProtocol().isEmpty()) {
            return handshakeFailed(NOT_TLS + " It uses " + limits.otherProtocol() + ".");
        }
        if (cause instanceof NotSslRecordException) {
            return handshakeFailed(NOT_TLS);
        }
        String alert = alert(cause);
        if (!alert.isEmpty()) {
            return handshakeFailed(alertMessage(alert));
        }
        String reason = reason(cause);
        if (!reason.isEmpty()) {
            return handshakeFailed(FAILED + ": " + reason + ".");
        }
        if (limits.reset()) {
            return new CheckFailure(
                    ErrorCode.CONNECTION_RESET, "The server reset the connection during the TLS handshake.");
        }
        if (isClosed(cause)) {
            return handshakeFailed("The server closed the connection during the TLS handshake.");
        }
        return handshakeFailed(FAILED + ".");
    }

    /** Whether the server rejected the offered application protocols (RFC 7301 section 3.2). */
    public static boolean isAlpnRejection(Throwable failure) {
        return failure instanceof CheckFailure known
                && (ALPN_ALERT.equals(known.error().message())
                        || NOT_SELECTED.equals(known.error().message()));
    }

    /** The failure of a handshake without a selected application protocol, for clients that require one. */
    public static CheckFailure noApplicationProtocol() {
        return handshakeFailed(NOT_SELECTED);
    }

    /** Whether the server sent data that is not TLS. */
    public static boolean isOtherProtocol(CheckFailure failure) {
        return failure.error().message().startsWith(NOT_TLS);
    }

    /**
     * Whether the certificate of the server may be the reason: the TLS engines rejected the handshake, or the server
     * could not use its certificate with their algorithms.
     */
    static boolean isRejection(Throwable failure) {
        if (!(failure instanceof CheckFailure known) || known.error().code() != ErrorCode.TLS_HANDSHAKE_FAILED) {
            return false;
        }
        String message = known.error().message();
        return message.startsWith(FAILED) || message.equals(UNREADABLE) || message.equals(HANDSHAKE_ALERT);
    }

    /** Whether the server responded, but the TLS engines could not complete the handshake with it. */
    static boolean isResponse(CheckFailure failure) {
        return isRejection(failure) || failure.error().message().startsWith(ALERT);
    }

    /** The failure if no engine can read the certificate. */
    static CheckFailure unreadableCertificate() {
        return handshakeFailed(UNREADABLE);
    }

    private static String alertMessage(String alert) {
        return ALERT + alert.replace(' ', '_') + ".";
    }

    private static Throwable unwrap(Throwable failure) {
        Throwable cause = failure instanceof DecoderException ? failure.getCause() : null;
        return cause == null ? failure : cause;
    }

    private static CheckFailure handshakeFailed(String message) {
        return new CheckFailure(ErrorCode.TLS_HANDSHAKE_FAILED, message);
    }

    /** The alert of the peer in words; empty if there is none. */
    private static String alert(Throwable cause) {
        String message = Strings.nullToEmpty(cause.getMessage());
        Matcher jdk = JDK_ALERT.matcher(message);
        if (jdk.find()) {
            return jdk.group(1).replace('_', ' ');
        }
        Matcher boringSsl = NATIVE_ALERT.matcher(message);
        return boringSsl.find() ? words(boringSsl.group(1)) : "";
    }

    /** The error of the local engine in words; empty if unknown. */
    private static String reason(Throwable cause) {
        Matcher reason = NATIVE_REASON.matcher(Strings.nullToEmpty(cause.getMessage()));
        return reason.find() ? words(reason.group(1)) : "";
    }

    private static String words(String constant) {
        return constant.toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    private static boolean isClosed(Throwable cause) {
        return cause instanceof java.nio.channels.ClosedChannelException
                || (cause instanceof SSLException
                        && Strings.nullToEmpty(cause.getMessage()).contains("closed"));
    }
}
