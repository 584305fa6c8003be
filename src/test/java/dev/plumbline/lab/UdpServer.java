package dev.plumbline.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import java.util.function.Function;

/** A UDP server on 127.0.0.1 that responds to each datagram, or that forwards them. */
public final class UdpServer implements AutoCloseable {
    private static final int MAX_BYTES = 65_535;

    private final DatagramSocket socket;
    private final AtomicInteger received = new AtomicInteger();

    private UdpServer(DatagramSocket socket) {
        this.socket = socket;
    }

    /** @param responder returns the responses to a datagram */
    public static UdpServer start(int port, Function<byte[], List<byte[]>> responder) throws IOException {
        UdpServer server = new UdpServer(socket(port));
        server.run(server.socket, (data, sender) -> {
            server.received.incrementAndGet();
            responder.apply(data).forEach(response -> send(server.socket, response, sender));
        });
        return server;
    }

    /**
     * A proxy that loses datagrams.
     *
     * @param target the port of the server behind it
     * @param loses whether the datagram with this number, from 1, in this direction is lost: true is to the server
     */
    public static UdpServer proxy(int port, int target, BiFunction<Integer, Boolean, Boolean> loses)
            throws IOException {
        UdpServer proxy = new UdpServer(socket(port));
        DatagramSocket back = socket(0);
        InetSocketAddress behind = new InetSocketAddress(InetAddress.getLoopbackAddress(), target);
        InetSocketAddress[] client = new InetSocketAddress[1];
        AtomicInteger returned = new AtomicInteger();
        proxy.run(proxy.socket, (data, sender) -> {
            synchronized (client) {
                client[0] = sender;
            }
            if (!loses.apply(proxy.received.incrementAndGet(), true)) {
                send(back, data, behind);
            }
        });
        proxy.run(back, (data, sender) -> {
            if (!loses.apply(returned.incrementAndGet(), false)) {
                synchronized (client) {
                    send(proxy.socket, data, client[0]);
                }
            }
        });
        return proxy;
    }

    private interface Receiver {
        void receive(byte[] data, InetSocketAddress sender);
    }

    private static DatagramSocket socket(int port) throws IOException {
        return new DatagramSocket(new InetSocketAddress("127.0.0.1", port));
    }

    private static void send(DatagramSocket socket, byte[] data, InetSocketAddress receiver) {
        try {
            socket.send(new DatagramPacket(data, data.length, receiver));
        } catch (IOException failed) {
            if (!socket.isClosed()) {
                throw new UncheckedIOException(failed);
            }
        }
    }

    private void run(DatagramSocket from, Receiver receiver) {
        Thread thread = new Thread(() -> {
            byte[] buffer = new byte[MAX_BYTES];
            while (!socket.isClosed()) {
                DatagramPacket packet = new DatagramPacket(buffer, buffer.length);
                try {
                    from.receive(packet);
                } catch (IOException closed) {
                    return;
                }
                byte[] data = Arrays.copyOf(buffer, packet.getLength());
                receiver.receive(data, (InetSocketAddress) packet.getSocketAddress());
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    public int port() {
        return socket.getLocalPort();
    }

    /** The number of datagrams of clients. */
    public int received() {
        return received.get();
    }

    @Override
    public void close() {
        socket.close();
    }
}
