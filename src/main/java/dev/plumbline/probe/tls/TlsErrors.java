package dev.plumbline.probe.tls;

import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.ErrorCode;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.SslHandshakeTimeoutException;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;

/** Turns what the engines and the system say of a failed handshake into words for people. */
public final class TlsErrors {
    /** As BoringSSL words it: error:10000410:SSL routines:OPENSSL_internal:REASON. */
    private static final Pattern NATIVE_REASON = Pattern.compile("OPENSSL_internal:([A-Z0-9_]+)");

    /** As the JDK words it. */
    private static final Pattern JDK_ALERT = Pattern.compile("Received fatal alert: ([a-z0-9_]+)");

    private static final Pattern NATIVE_ALERT = Pattern.compile("(?:SSLV3|TLSV1)_ALERT_([A-Z0-9_]+)");

    /** What another engine, with other algorithms, may fare better with. */
    private static final Set<String> NEGOTIATION = Set.of(
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

    private TlsErrors() {}

    /** A {@link CheckFailure}, as a {@link NoSharedAlgorithms} where another engine may fare better. */
    public static Exception ofHandshake(Throwable failure, HandshakeLimitHandler bounds) {
        Throwable cause = unwrapped(failure);
        CheckFailure known = known(failure, bounds);
        return NEGOTIATION.contains(alert(cause)) || NEGOTIATION.contains(reason(cause))
                ? new NoSharedAlgorithms(known)
                : known;
    }

    /** What is told of a failed handshake. */
    static CheckFailure known(Throwable failure, HandshakeLimitHandler bounds) {
        Throwable cause = unwrapped(failure);
        if (cause instanceof SslHandshakeTimeoutException) {
            return new CheckFailure(
                    ErrorCode.READ_TIMEOUT,
                    bounds.silent()
                            ? "The TLS handshake timed out. The server sent no data."
                            : "The TLS handshake timed out.");
        }
        if (bounds.exceeded()) {
            return handshakeFailed("The server sent too much data during the TLS handshake.");
        }
        if (!bounds.otherProtocol().isEmpty()) {
            return handshakeFailed("The server does not use TLS on this port. It uses " + bounds.otherProtocol() + ".");
        }
        if (cause instanceof NotSslRecordException) {
            return handshakeFailed("The server does not use TLS on this port.");
        }
        String alert = alert(cause);
        if (!alert.isEmpty()) {
            return handshakeFailed(refused(alert));
        }
        String reason = reason(cause);
        if (!reason.isEmpty()) {
            return handshakeFailed("The TLS handshake failed: " + reason + ".");
        }
        if (bounds.reset()) {
            return new CheckFailure(
                    ErrorCode.CONNECTION_RESET, "The server reset the connection during the TLS handshake.");
        }
        if (isClosed(cause)) {
            return handshakeFailed("The server closed the connection during the TLS handshake.");
        }
        return handshakeFailed("The TLS handshake failed.");
    }

    /** Whether the server refused what it was offered to speak inside (RFC 7301, section 3.2). */
    static boolean refusesProtocols(CheckFailure failure) {
        return refused("no application protocol").equals(failure.error().message());
    }

    private static String refused(String alert) {
        return "The server rejected the TLS handshake with alert " + alert.replace(' ', '_') + ".";
    }

    private static Throwable unwrapped(Throwable failure) {
        Throwable cause = failure instanceof DecoderException ? failure.getCause() : null;
        return cause == null ? failure : cause;
    }

    private static CheckFailure handshakeFailed(String message) {
        return new CheckFailure(ErrorCode.TLS_HANDSHAKE_FAILED, message);
    }

    /** The alert that the peer sent, in words; empty when it sent none. */
    private static String alert(Throwable cause) {
        String message = String.valueOf(cause.getMessage());
        Matcher jdk = JDK_ALERT.matcher(message);
        if (jdk.find()) {
            return jdk.group(1).replace('_', ' ');
        }
        Matcher ours = NATIVE_ALERT.matcher(message);
        return ours.find() ? words(ours.group(1)) : "";
    }

    /** Why our own engine gave up, in words; empty when it does not say. */
    private static String reason(Throwable cause) {
        Matcher reason = NATIVE_REASON.matcher(String.valueOf(cause.getMessage()));
        return reason.find() ? words(reason.group(1)) : "";
    }

    private static String words(String constant) {
        return constant.toLowerCase(Locale.ROOT).replace('_', ' ');
    }

    private static boolean isClosed(Throwable cause) {
        return cause instanceof java.nio.channels.ClosedChannelException
                || (cause instanceof SSLException
                        && String.valueOf(cause.getMessage()).contains("closed"));
    }
}
