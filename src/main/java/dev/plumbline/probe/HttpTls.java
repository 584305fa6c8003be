package dev.plumbline.probe;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import java.util.List;
import javax.net.ssl.SSLException;

/**
 * TLS for HTTP exchanges: any certificate is taken here, for it is judged afterwards by {@link
 * TlsTrust}, which can say what is wrong with it.
 */
final class HttpTls {
  private static final long CLOSE_NOTIFY_MS = 200;

  private final SslContext http1;
  private final SslContext http2;

  HttpTls() {
    try {
      this.http1 = ProbeTls.newContext(List.of("http/1.1"), new TrustEverybody());
      this.http2 = ProbeTls.newContext(List.of("h2", "http/1.1"), new TrustEverybody());
    } catch (SSLException broken) {
      throw new IllegalStateException("TLS cannot be set up", broken);
    }
  }

  /**
   * A handler for one connection.
   *
   * @param name sent as the server's name unless it is an address
   */
  SslHandler handler(
      ByteBufAllocator allocator, String name, int port, boolean offerHttp2, long timeoutMs) {
    SslHandler handler = (offerHttp2 ? http2 : http1).newHandler(allocator, name, port);
    handler.setHandshakeTimeoutMillis(timeoutMs);
    handler.setCloseNotifyFlushTimeoutMillis(CLOSE_NOTIFY_MS);
    return handler;
  }
}
