package dev.plumbline.probe;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.DelegatingSslContext;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.NetUtil;
import java.util.List;
import java.util.concurrent.Executor;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;

/**
 * Keeps the JDK from resuming sessions. It looks them up by the peer's name and port, so its
 * engines are told neither; the server name is set by hand.
 */
final class FreshJdkContext extends DelegatingSslContext {
  FreshJdkContext(SslContext jdk) {
    super(jdk);
  }

  @Override
  protected SslHandler newHandler(
      ByteBufAllocator alloc, String peerHost, int peerPort, boolean startTls, Executor executor) {
    SslHandler handler = super.newHandler(alloc, startTls, executor);
    if (mayBeSent(peerHost)) {
      SSLEngine engine = handler.engine();
      SSLParameters parameters = engine.getSSLParameters();
      parameters.setServerNames(List.of(new SNIHostName(peerHost)));
      engine.setSSLParameters(parameters);
    }
    return handler;
  }

  @Override
  protected void initEngine(SSLEngine engine) {}

  /** Whether a host may stand in a server name indication (RFC 6066, section 3). */
  static boolean mayBeSent(String host) {
    return host.indexOf('.') > 0
        && !host.endsWith(".")
        && !NetUtil.isValidIpV4Address(host)
        && !NetUtil.isValidIpV6Address(host);
  }
}
