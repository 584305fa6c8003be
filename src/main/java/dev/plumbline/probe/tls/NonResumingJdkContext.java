package dev.plumbline.probe.tls;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
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
 * Prevents session resumption by the JDK. It looks sessions up by name and port, so its engines receive neither; the
 * SNI is set explicitly.
 */
final class NonResumingJdkContext extends DelegatingSslContext {
    NonResumingJdkContext(SslContext jdk) {
        super(jdk);
    }

    @Override
    protected SslHandler newHandler(
            ByteBufAllocator alloc, String peerHost, int peerPort, boolean startTls, Executor executor) {
        SslHandler handler = new Handler(newEngine(alloc), startTls, executor);
        if (isValidSni(peerHost)) {
            SSLEngine engine = handler.engine();
            SSLParameters parameters = engine.getSSLParameters();
            parameters.setServerNames(List.of(new SNIHostName(peerHost)));
            engine.setSSLParameters(parameters);
        }
        return handler;
    }

    /**
     * The tasks of the JDK engine run on worker threads and may fail after the peer has closed the connection. Netty
     * would log that failure.
     */
    private static final class Handler extends SslHandler {
        Handler(SSLEngine engine, boolean startTls, Executor tasks) {
            super(engine, startTls, tasks);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) throws Exception {
            if (!context.isRemoved()) {
                super.exceptionCaught(context, cause);
            }
        }
    }

    @Override
    protected void initEngine(SSLEngine engine) {}

    /** Whether a host can be sent as server name (RFC 6066 section 3). */
    static boolean isValidSni(String host) {
        return host.indexOf('.') > 0
                && !host.endsWith(".")
                && !NetUtil.isValidIpV4Address(host)
                && !NetUtil.isValidIpV6Address(host);
    }
}
