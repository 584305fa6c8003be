package dev.plumbline.probe.tls;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.vertx.core.buffer.Buffer;

/** Copies what a peer sends, up to a limit. */
final class InboundRecorder extends ChannelInboundHandlerAdapter {
    /** More than the certificates of almost all servers. */
    static final int MAX_BYTES = 64 * 1024;

    private final Buffer received = Buffer.buffer();

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (message instanceof ByteBuf bytes && received.length() <= MAX_BYTES) {
            received.appendBytes(ByteBufUtil.getBytes(bytes));
        }
        context.fireChannelRead(message);
    }

    Buffer received() {
        return received;
    }

    /** Whether the peer sent more, so that the copy is not complete. */
    boolean exceeded() {
        return received.length() > MAX_BYTES;
    }
}
