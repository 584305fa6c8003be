package dev.plumbline.lab.domain;

import dev.plumbline.support.Await;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetSocket;
import java.util.function.Predicate;

/** Forwards each connection to one of two servers on 127.0.0.1, which its ClientHello selects. */
final class ClientHelloRouter {
    private static final int ALPN = 16;

    private final NetClient client;
    private final int port;
    private final int selectedPort;
    private final Predicate<Buffer> selected;

    /** @param selected whether a ClientHello selects {@code selectedPort} instead of {@code port} */
    ClientHelloRouter(Vertx vertx, int port, int selectedPort, Predicate<Buffer> selected) {
        this.client = vertx.createNetClient();
        this.port = port;
        this.selectedPort = selectedPort;
        this.selected = selected;
    }

    void listen(Vertx vertx, String address) {
        Await.value(vertx.createNetServer().connectHandler(this::route).listen(443, address));
    }

    private void route(NetSocket socket) {
        Buffer hello = Buffer.buffer();
        socket.exceptionHandler(broken -> {});
        socket.handler(bytes -> {
            hello.appendBuffer(bytes);
            if (hello.length() >= 5 && hello.length() >= 5 + hello.getUnsignedShort(3)) {
                socket.handler(null);
                socket.pause();
                forward(socket, hello);
            }
        });
    }

    private void forward(NetSocket socket, Buffer hello) {
        client.connect(selected.test(hello) ? selectedPort : port, "127.0.0.1")
                .onFailure(failure -> socket.close())
                .onSuccess(server -> {
                    server.exceptionHandler(broken -> {});
                    server.write(hello);
                    server.pipeTo(socket);
                    socket.pipeTo(server);
                });
    }

    /** Whether the client offers compression, which current libraries do not. */
    static boolean offersCompression(Buffer hello) {
        return hello.getUnsignedByte(compressionMethods(hello)) > 1;
    }

    static boolean offersNoAlpn(Buffer hello) {
        int methods = compressionMethods(hello);
        int at = methods + 1 + hello.getUnsignedByte(methods) + 2;
        while (at + 4 <= hello.length()) {
            if (hello.getUnsignedShort(at) == ALPN) {
                return false;
            }
            at += 4 + hello.getUnsignedShort(at + 2);
        }
        return true;
    }

    /** The position after the record header, the version, the random value, the session ID and the cipher suites. */
    private static int compressionMethods(Buffer hello) {
        int at = 9 + 2 + 32;
        at += 1 + hello.getUnsignedByte(at);
        return at + 2 + hello.getUnsignedShort(at);
    }
}
