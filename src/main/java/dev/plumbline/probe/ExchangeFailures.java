package dev.plumbline.probe;

import static dev.plumbline.check.ErrorCode.CONNECTION_RESET;
import static dev.plumbline.check.ErrorCode.READ_TIMEOUT;
import static dev.plumbline.check.ErrorCode.TLS_HANDSHAKE_FAILED;

import dev.plumbline.check.CheckFailure;
import io.netty.handler.codec.TooLongFrameException;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.ssl.SslHandshakeTimeoutException;
import java.io.IOException;
import java.util.Locale;
import javax.net.ssl.SSLException;

/** Tells what a broken connection means, in words and codes of ours. */
final class ExchangeFailures {
  private ExchangeFailures() {}

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
