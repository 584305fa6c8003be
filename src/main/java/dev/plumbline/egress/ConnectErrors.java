package dev.plumbline.egress;

import static dev.plumbline.result.ErrorCode.CONNECTION_RESET;
import static dev.plumbline.result.ErrorCode.CONNECT_REFUSED;
import static dev.plumbline.result.ErrorCode.CONNECT_TIMEOUT;
import static dev.plumbline.result.ErrorCode.CONNECT_UNREACHABLE;
import static dev.plumbline.result.ErrorCode.INTERNAL;

import com.google.common.base.Strings;
import com.google.common.base.Throwables;
import com.google.common.net.HostAndPort;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.target.ExceptionMessage;
import dev.plumbline.target.IpAddressText;
import io.netty.channel.ConnectTimeoutException;
import io.vertx.core.net.SocketAddress;
import java.net.ConnectException;
import java.net.InetAddress;
import java.util.Locale;
import java.util.Set;

/** Maps connect failures to error codes, equally for all protocols. */
public final class ConnectErrors {
    private ConnectErrors() {}

    /**
     * Uses the message of the exception, because Java throws one class for several causes: ConnectException for
     * ECONNREFUSED and ETIMEDOUT, others for EACCES, EHOSTUNREACH and ENETUNREACH.
     */
    public static CheckFailure of(Throwable cause, SocketAddress remote) {
        String text = Strings.nullToEmpty(cause.getMessage()).toLowerCase(Locale.ROOT);
        if (cause instanceof ConnectTimeoutException || text.contains("timed out")) {
            return new CheckFailure(CONNECT_TIMEOUT, "Connection to " + endpoint(remote) + " timed out.");
        }
        if (cause instanceof ConnectException && text.contains("refused")) {
            return new CheckFailure(CONNECT_REFUSED, "Connection refused by " + endpoint(remote) + ".");
        }
        if (text.contains("reset") || text.contains("broken pipe")) {
            return new CheckFailure(CONNECTION_RESET, "Connection to " + endpoint(remote) + " was reset.");
        }
        return new CheckFailure(CONNECT_UNREACHABLE, "No route to host " + address(remote) + ".");
    }

    /**
     * The failure of a UDP socket of this node, for example because of a firewall, without a route, or without free
     * file descriptors. Unlike a failed TCP connection, it is not a property of the target, which did not have to
     * respond. A closed port of the target is a {@link java.net.PortUnreachableException} instead.
     */
    public static CheckFailure ofUdp(Throwable cause, SocketAddress remote) {
        return new CheckFailure(
                INTERNAL,
                "This node cannot send UDP packets to %s: %s."
                        .formatted(endpoint(remote), ExceptionMessage.of(Throwables.getRootCause(cause))));
    }

    /** Whether the connection was refused, timed out or had no route. */
    public static boolean isConnectFailure(Throwable cause) {
        return cause instanceof CheckFailure failure
                && Set.of(CONNECT_REFUSED, CONNECT_TIMEOUT, CONNECT_UNREACHABLE)
                        .contains(failure.error().code());
    }

    /** The address and port; an IPv6 address is enclosed in brackets. */
    static String endpoint(SocketAddress remote) {
        return HostAndPort.fromParts(address(remote), remote.port()).toString();
    }

    private static String address(SocketAddress remote) {
        InetAddress address = remote.hostAddress() == null ? null : IpAddressText.parse(remote.hostAddress());
        return address == null ? remote.host() : IpAddressText.format(address);
    }
}
