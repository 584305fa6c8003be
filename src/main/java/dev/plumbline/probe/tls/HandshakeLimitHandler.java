package dev.plumbline.probe.tls;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Limits the bytes that a peer sends during a handshake, and records how the data begins, whether the connection was
 * reset, and the negotiated key exchange group.
 */
public final class HandshakeLimitHandler extends ChannelInboundHandlerAdapter {
    /** The certificates and the same amount for all other messages. */
    private static final long MAX_BYTES = 2L * TlsClientOptions.MAX_CERTIFICATE_BYTES;

    private static final int PREFIX_BYTES = 8;

    private final @Nullable ServerHelloReader reader;
    private @Nullable ServerHelloResult hello;
    private long received;
    private String prefix = "";
    private boolean reset;

    public HandshakeLimitHandler() {
        this(null);
    }

    /** @param reader reads the ServerHello; null if it is not needed */
    HandshakeLimitHandler(@Nullable ServerHelloReader reader) {
        this.reader = reader;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (message instanceof ByteBuf bytes) {
            if (received == 0) {
                int length = Math.min(PREFIX_BYTES, bytes.readableBytes());
                prefix = new String(
                        ByteBufUtil.getBytes(bytes, bytes.readerIndex(), length), StandardCharsets.ISO_8859_1);
            }
            received += bytes.readableBytes();
            if (received > MAX_BYTES) {
                bytes.release();
                context.close();
                return;
            }
            if (reader != null && hello == null) {
                hello = reader.read(ByteBufUtil.getBytes(bytes));
            }
        }
        context.fireChannelRead(message);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        reset |= cause instanceof IOException;
        context.fireExceptionCaught(cause);
    }

    /** The key exchange group of TLS 1.3 in the first ServerHello or HelloRetryRequest; -1 if there is none. */
    int group() {
        return hello == null ? -1 : hello.group();
    }

    /** Whether the peer exceeded the limit. */
    boolean exceeded() {
        return received > MAX_BYTES;
    }

    boolean reset() {
        return reset;
    }

    /** Whether the peer sent no data. */
    boolean silent() {
        return received == 0;
    }

    /** The protocol that the peer seems to use instead of TLS; empty if unknown. */
    String otherProtocol() {
        if (prefix.startsWith("HTTP/") || prefix.startsWith("<")) {
            return "plain HTTP";
        }
        if (prefix.startsWith("SSH-")) {
            return "SSH";
        }
        if (prefix.startsWith("220")) {
            return "SMTP or FTP, which require STARTTLS";
        }
        if (prefix.startsWith("* OK") || prefix.startsWith("+OK")) {
            return "plain IMAP or POP3, which require STARTTLS";
        }
        return "";
    }
}
