package dev.plumbline.dns;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.DatagramPacket;
import io.netty.handler.flush.FlushConsolidationHandler;
import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.security.SecureRandom;
import java.util.List;
import org.xbill.DNS.Message;

/**
 * A connected UDP socket on a random port, used for at most {@value #MAX_QUERIES} queries to one server. Opening a
 * socket costs more than a query, and this few queries per port keep the combination of port and ID hard to guess (RFC
 * 5452 sections 4.3 and 9.2). The system discards packets of other senders. Confined to the event loop that opened it.
 */
final class DnsUdpSocket extends SimpleChannelInboundHandler<DatagramPacket> {
    private static final int MAX_QUERIES = 64;

    /** More than {@link DnsMessageCodec#UDP_PAYLOAD}, so that oversized responses are detected. */
    private static final int MAX_BYTES = 4_096;

    private static final FixedRecvByteBufAllocator ALLOCATOR = new FixedRecvByteBufAllocator(MAX_BYTES);

    private final Channel channel;
    private final SecureRandom random;
    private final IntObjectMap<DnsQuery> open = new IntObjectHashMap<>();
    private int queryCount;

    /** @throws RuntimeException if the system provides no socket */
    DnsUdpSocket(EventLoop loop, DatagramChannel channel, InetSocketAddress server, SecureRandom random) {
        this.channel = channel;
        this.random = random;
        channel.config().setOption(ChannelOption.RECVBUF_ALLOCATOR, ALLOCATOR);
        channel.pipeline().addLast(new FlushConsolidationHandler(MAX_QUERIES, true), this);
        loop.register(channel);
        ChannelFuture connected = channel.connect(server);
        if (connected.cause() != null) {
            channel.close();
            throw new IllegalStateException("the DNS server is unreachable", connected.cause());
        }
    }

    boolean isOpen() {
        return channel.isOpen();
    }

    boolean hasCapacity() {
        return queryCount < MAX_QUERIES && channel.isOpen();
    }

    /** Sends a query. It receives the response, truncated or not. */
    void send(DnsQuery query) {
        queryCount++;
        int id = newId();
        open.put(id, query);
        query.sent(this, id);
        send(query, id, true);
    }

    /** Sends a query again with the same ID. */
    void retransmit(DnsQuery query, int id) {
        send(query, id, false);
    }

    /** Stops waiting for a response; closes the socket after the last one. */
    void remove(int id) {
        open.remove(id);
        if (open.isEmpty()) {
            channel.close();
        }
    }

    private void send(DnsQuery query, int id, boolean first) {
        byte[] bytes = DnsMessageCodec.query(
                query.question().record(), id, query.question().flags());
        ByteBuf packet = channel.alloc().directBuffer(bytes.length).writeBytes(bytes);
        channel.writeAndFlush(packet).addListener(result -> {
            // A send may report an ICMP error of an earlier packet, so it is retried once.
            if (!result.isSuccess() && first && open.get(id) == query) {
                send(query, id, false);
            } else if (!result.isSuccess()) {
                query.fail(query.question().unreachable());
            }
        });
    }

    private int newId() {
        int id = random.nextInt(0x10000);
        while (open.containsKey(id)) {
            id = random.nextInt(0x10000);
        }
        return id;
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, DatagramPacket packet) {
        ByteBuf content = packet.content();
        byte[] bytes = new byte[content.readableBytes()];
        content.readBytes(bytes);
        int id = DnsMessageCodec.id(bytes);
        DnsQuery query = open.get(id);
        if (query == null || !DnsMessageCodec.isResponseTo(bytes, id)) {
            return;
        }
        Message response = DnsMessageCodec.parse(bytes);
        if (response == null) {
            query.fail(query.question().failed("sent a malformed response."));
        } else if (DnsMessageCodec.matches(response, query.question().record())) {
            query.succeed(response);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        List.copyOf(open.values()).forEach(query -> query.socketFailed(cause instanceof PortUnreachableException));
    }
}
