package dev.plumbline.probe.tls;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayList;
import java.util.List;

/**
 * Buffers inbound data while the certificate of the peer is evaluated, because an HTTP/2 server sends first. Discards
 * exceptions, which the handshake future reports.
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

    /** Removes this handler and passes the buffered data on. */
    public void release(ChannelHandlerContext context) {
        List<ByteBuf> buffered = List.copyOf(held);
        held.clear();
        buffered.forEach(context::fireChannelRead);
        context.pipeline().remove(this);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        held.forEach(ByteBuf::release);
        held.clear();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        // Reported by the handshake future.
    }
}
