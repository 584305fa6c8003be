package dev.plumbline.probe.http;

import io.netty.handler.codec.PrematureChannelClosureException;
import io.netty.handler.codec.TooLongFrameException;
import io.netty.handler.codec.http2.Http2Exception;
import java.io.IOException;
import javax.net.ssl.SSLException;

/** Maps failures of a connection to errors of the exchange. */
final class ExchangeErrors {
    private ExchangeErrors() {}

    /** Ends the exchange of the collector with the error of this failure. */
    static void report(Throwable cause, ResponseCollector collector) {
        for (Throwable each = cause; each != null; each = each.getCause()) {
            if (each instanceof TooLongFrameException || each instanceof Http2Exception.HeaderListSizeException) {
                collector.tooLarge(ResponseCollector.HEAD_TOO_LARGE);
                return;
            }
            if (each instanceof OutOfMemoryError) {
                collector.outOfMemory();
                return;
            }
            if (each instanceof Error) {
                collector.fail(each);
                return;
            }
            if (each instanceof PrematureChannelClosureException) {
                collector.closed(false);
                return;
            }
            if (each instanceof Http2Exception) {
                collector.protocolError("The response is not valid HTTP/2.");
                return;
            }
            if (each instanceof SSLException) {
                collector.protocolError("The TLS connection failed during the exchange.");
                return;
            }
            if (each instanceof IOException) {
                collector.closed(true);
                return;
            }
        }
        collector.protocolError("The response is not valid HTTP.");
    }
}
