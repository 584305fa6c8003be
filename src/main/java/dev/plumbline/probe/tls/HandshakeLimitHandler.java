package dev.plumbline.probe.tls;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * Counts what a peer sends in a handshake, closes on too much, and notes how it began and ended.
 */
public final class HandshakeLimitHandler extends ChannelInboundHandlerAdapter {
    /** The certificates, and as much again for everything else. */
    private static final long MOST_BYTES = 2L * TlsClientOptions.MAX_CERTIFICATE_BYTES;

    private static final int BEGINNING = 8;

    private long received;
    private String beginning = "";
    private boolean reset;

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (message instanceof ByteBuf bytes) {
            if (received == 0) {
                int length = Math.min(BEGINNING, bytes.readableBytes());
                beginning = new String(
                        ByteBufUtil.getBytes(bytes, bytes.readerIndex(), length), StandardCharsets.ISO_8859_1);
            }
            received += bytes.readableBytes();
            if (received > MOST_BYTES) {
                bytes.release();
                context.close();
                return;
            }
        }
        context.fireChannelRead(message);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        reset |= cause instanceof IOException;
        context.fireExceptionCaught(cause);
    }

    /** Whether the peer sent more than a handshake can need. */
    boolean exceeded() {
        return received > MOST_BYTES;
    }

    /** Whether the connection was torn down by the peer's system. */
    boolean reset() {
        return reset;
    }

    /** Whether the peer has sent anything at all. */
    boolean silent() {
        return received == 0;
    }

    /** What the peer seems to speak instead of TLS, empty when it is not known. */
    String otherProtocol() {
        if (beginning.startsWith("HTTP/") || beginning.startsWith("<")) {
            return "plain HTTP";
        }
        if (beginning.startsWith("SSH-")) {
            return "SSH";
        }
        if (beginning.startsWith("220")) {
            return "SMTP or FTP, which require STARTTLS";
        }
        if (beginning.startsWith("* OK") || beginning.startsWith("+OK")) {
            return "plain IMAP or POP3, which require STARTTLS";
        }
        return "";
    }
}
