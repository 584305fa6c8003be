package dev.plumbline.probe;

import static dev.plumbline.check.ErrorCode.CONNECTION_RESET;
import static dev.plumbline.check.ErrorCode.CONNECT_REFUSED;
import static dev.plumbline.check.ErrorCode.CONNECT_TIMEOUT;
import static dev.plumbline.check.ErrorCode.CONNECT_UNREACHABLE;
import static dev.plumbline.check.ErrorCode.READ_TIMEOUT;
import static dev.plumbline.check.ErrorCode.TLS_HANDSHAKE_FAILED;

import dev.plumbline.check.CheckFailure;
import io.netty.channel.ConnectTimeoutException;
import io.netty.handler.codec.TooLongFrameException;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.ssl.SslHandshakeTimeoutException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.util.Locale;
import javax.net.ssl.SSLException;

/** Tells what a broken connection means, in words and codes of ours. */
final class ExchangeFailures {
  private ExchangeFailures() {}

  static CheckFailure connecting(Throwable cause) {
    String text = String.valueOf(cause.getMessage()).toLowerCase(Locale.ROOT);
    if (cause instanceof ConnectTimeoutException) {
      return new CheckFailure(CONNECT_TIMEOUT, "No connection came about in time.");
    }
    if (cause instanceof NoRouteToHostException || text.contains("unreachable")) {
      return new CheckFailure(CONNECT_UNREACHABLE, "The address cannot be reached from here.");
    }
    if (cause instanceof ConnectException && text.contains("refused")) {
      return new CheckFailure(CONNECT_REFUSED, "The connection was refused.");
    }
    if (text.contains("reset")) {
      return new CheckFailure(CONNECTION_RESET, "The connection was reset while it was set up.");
    }
    return new CheckFailure(CONNECT_UNREACHABLE, "No connection could be set up.");
  }

  static CheckFailure handshaking(Throwable cause) {
    if (cause instanceof SslHandshakeTimeoutException) {
      return new CheckFailure(READ_TIMEOUT, "The TLS handshake did not end in time.");
    }
    if (cause instanceof IOException
        && !(cause instanceof SSLException)
        && String.valueOf(cause.getMessage()).toLowerCase(Locale.ROOT).contains("reset")) {
      return new CheckFailure(
          CONNECTION_RESET, "The server reset the connection during the TLS handshake.");
    }
    return new CheckFailure(TLS_HANDSHAKE_FAILED, "The TLS handshake failed.");
  }

  /** Ends an exchange that was already under way. */
  static void report(Throwable cause, ResponseCollector collector) {
    for (Throwable each = cause; each != null; each = each.getCause()) {
      if (each instanceof TooLongFrameException
          || each instanceof Http2Exception.HeaderListSizeException) {
        collector.tooLarge("The head of the response is larger than we read.");
        return;
      }
      if (each instanceof Http2Exception) {
        collector.protocolError("What the server sent is not valid HTTP/2.");
        return;
      }
      if (each instanceof SSLException) {
        collector.protocolError("The encrypted connection broke.");
        return;
      }
      if (each instanceof IOException) {
        collector.closed(true);
        return;
      }
    }
    collector.protocolError("What the server sent cannot be read as HTTP.");
  }
}
