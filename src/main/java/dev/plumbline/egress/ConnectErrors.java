package dev.plumbline.egress;

import static dev.plumbline.check.ErrorCode.CONNECTION_RESET;
import static dev.plumbline.check.ErrorCode.CONNECT_REFUSED;
import static dev.plumbline.check.ErrorCode.CONNECT_TIMEOUT;
import static dev.plumbline.check.ErrorCode.CONNECT_UNREACHABLE;

import dev.plumbline.check.CheckFailure;
import io.netty.channel.ConnectTimeoutException;
import java.net.ConnectException;
import java.util.Locale;

/** Tells why no connection came about, alike for every protocol spoken over it. */
public final class ConnectErrors {
    private ConnectErrors() {}

    /**
     * The system's own words decide, for Java throws one class for several causes: a ConnectException
     * stands for ECONNREFUSED and ETIMEDOUT, others for EACCES, EHOSTUNREACH and ENETUNREACH.
     */
    public static CheckFailure of(Throwable cause) {
        String text = String.valueOf(cause.getMessage()).toLowerCase(Locale.ROOT);
        if (cause instanceof ConnectTimeoutException || text.contains("timed out")) {
            return new CheckFailure(CONNECT_TIMEOUT, "The server did not answer the connection in time.");
        }
        if (cause instanceof ConnectException && text.contains("refused")) {
            return new CheckFailure(CONNECT_REFUSED, "The server refused the connection: nothing listens there.");
        }
        if (text.contains("reset") || text.contains("broken pipe")) {
            return new CheckFailure(CONNECTION_RESET, "The server reset the connection at once.");
        }
        return new CheckFailure(CONNECT_UNREACHABLE, "The server cannot be reached from here.");
    }
}
