package dev.plumbline.probe.tls;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayList;
import java.util.List;

/**
 * Holds back what a peer sends while its certificate is still being judged: an HTTP/2 server speaks
 * first. Exceptions end here too, for the handshake's future tells of them.
 */
public final class InboundHoldHandler extends ChannelInboundHandlerAdapter {
    private static final int MAX_BYTES = 64 * 1024;

    private final List<ByteBuf> held = new ArrayList<>();
    private int bytes;

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (!(message instanceof ByteBuf buffer)) {
            ReferenceCountUtil.release(message);
            return;
        }
        bytes += buffer.readableBytes();
        if (bytes > MAX_BYTES) {
            buffer.release();
            context.close();
        } else {
            held.add(buffer);
        }
    }

    /** Takes this handler out and hands what it held to the handlers that have come behind it. */
    public void release(ChannelHandlerContext context) {
        List<ByteBuf> waiting = List.copyOf(held);
        held.clear();
        waiting.forEach(context::fireChannelRead);
        context.pipeline().remove(this);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        held.forEach(ByteBuf::release);
        held.clear();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        // The future of the handshake has failed with it.
    }
}
