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
 * A UDP port of the system's choice from which a few questions are asked of one server, for to open
 * one for each costs more than the question. So few, that who must guess port and id together gains
 * nothing that helps (RFC 5452 sections 4.3 and 9.2); what others send to it, the system drops.
 * Used on the event loop that opened it only.
 */
final class DnsUdpSocket extends SimpleChannelInboundHandler<DatagramPacket> {
    private static final int MOST_QUESTIONS = 64;

    /** More than a server may send over UDP, so that what it sends too much is seen as such. */
    private static final int MOST_BYTES = 4_096;

    private static final FixedRecvByteBufAllocator ROOM = new FixedRecvByteBufAllocator(MOST_BYTES);

    private final Channel channel;
    private final SecureRandom random;
    private final IntObjectMap<DnsQuery> open = new IntObjectHashMap<>();
    private int asked;

    /**
     * @throws RuntimeException when the system has no socket to give
     */
    DnsUdpSocket(EventLoop loop, DatagramChannel channel, InetSocketAddress server, SecureRandom random) {
        this.channel = channel;
        this.random = random;
        channel.config().setOption(ChannelOption.RECVBUF_ALLOCATOR, ROOM);
        channel.pipeline().addLast(new FlushConsolidationHandler(MOST_QUESTIONS, true), this);
        loop.register(channel);
        ChannelFuture connected = channel.connect(server);
        if (connected.cause() != null) {
            channel.close();
            throw new IllegalStateException("the DNS resolver is unreachable", connected.cause());
        }
    }

    /** Whether more may be asked from here. */
    boolean mayAsk() {
        return asked < MOST_QUESTIONS && channel.isOpen();
    }

    /** Sends a question, which hears of the answer, truncated or not, unless it ends before. */
    void ask(DnsQuery query) {
        asked++;
        int id = freshId();
        open.put(id, query);
        query.askedFrom(this, id);
        send(query, id, true);
    }

    /** Sends a question again, as it was. */
    void repeat(DnsQuery query, int id) {
        send(query, id, false);
    }

    /** Listens for an answer no more. */
    void forget(int id) {
        open.remove(id);
        if (open.isEmpty()) {
            channel.close();
        }
    }

    private void send(DnsQuery query, int id, boolean first) {
        byte[] bytes = DnsMessageCodec.query(
                query.question().record(), id, query.question().edns());
        ByteBuf packet = channel.alloc().directBuffer(bytes.length).writeBytes(bytes);
        channel.writeAndFlush(packet).addListener(sent -> {
            // What the system tells when one sends may be about a packet that was sent before.
            if (!sent.isSuccess() && first && open.get(id) == query) {
                send(query, id, false);
            } else if (!sent.isSuccess()) {
                query.fail(DnsTransport.failed("The DNS resolver is unreachable."));
            }
        });
    }

    private int freshId() {
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
        DnsQuery to = open.get(id);
        if (to == null || !DnsMessageCodec.claimsToAnswer(bytes, id)) {
            return;
        }
        Message answer = DnsMessageCodec.parse(bytes);
        if (answer == null) {
            to.fail(DnsTransport.failed("The DNS resolver sent a malformed response."));
        } else if (DnsMessageCodec.belongs(answer, to.question().record())) {
            to.succeed(answer);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        // That nobody listens there is taken for silence: a resolver that starts again is asked again.
        if (!(cause instanceof PortUnreachableException)) {
            List.copyOf(open.values())
                    .forEach(each -> each.fail(DnsTransport.failed("The connection to the DNS resolver failed.")));
        }
    }
}
