package dev.plumbline.http.server;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.TimeUnit;

/**
 * Closes a connection in two steps (RFC 9112, 9.6): says that nothing more will be sent, then reads
 * until the client has nothing more to say either, or for a moment. Closing at once would reset the
 * connection if anything is still coming, and take an answer with it that was not read yet.
 */
public final class LingeringClose extends ChannelInboundHandlerAdapter {
    /** Closing at once would reset the connection before the answer is read. */
    public static final long LINGER_MS = 300;

    private static final String NAME = "gentleEnd";

    private LingeringClose() {}

    /** Ends the connection; to be called on its event loop, once all has been written. */
    static void of(Channel channel) {
        if (!channel.isActive() || channel.pipeline().get(NAME) != null) {
            return;
        }
        if (channel instanceof DuplexChannel duplex && duplex.isInputShutdown()) {
            channel.unsafe().close(channel.newPromise());
            return;
        }
        SslHandler tls = channel.pipeline().get(SslHandler.class);
        if (tls != null) {
            channel.pipeline().addAfter(channel.pipeline().context(tls).name(), NAME, new LingeringClose());
            tls.closeOutbound();
        } else if (channel instanceof DuplexChannel duplex) {
            channel.pipeline().addFirst(NAME, new LingeringClose());
            duplex.shutdownOutput();
        }
        channel.config().setAutoRead(true);
        channel.eventLoop()
                .schedule(() -> channel.unsafe().close(channel.newPromise()), LINGER_MS, TimeUnit.MILLISECONDS);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ReferenceCountUtil.release(message);
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof ChannelInputShutdownEvent) {
            ctx.close();
        } else {
            ctx.fireUserEventTriggered(event);
        }
    }
}
