package dev.plumbline.support;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntPredicate;

/** A mail server that starts TLS with a TLS server on loopback, and counts its connections. */
public final class SmtpTlsProxy {
    /** Held, because Vert.x closes a client, and with it a connection that it is opening, when it is not reachable. */
    private final NetClient client;

    private final int behind;
    private final IntPredicate lets;
    private final AtomicInteger connections = new AtomicInteger();
    private final NetServer server;

    private SmtpTlsProxy(Vertx vertx, int behind, IntPredicate lets) {
        this.client = vertx.createNetClient();
        this.behind = behind;
        this.lets = lets;
        this.server =
                Await.value(vertx.createNetServer().connectHandler(this::greet).listen(0, "127.0.0.1"));
    }

    /** Starts a mail server before the TLS server on this port. It ends with the Vert.x instance. */
    public static SmtpTlsProxy before(Vertx vertx, int port) {
        return new SmtpTlsProxy(vertx, port, nth -> true);
    }

    /** As the other method, but rejects connections whose number, from 1, does not match. */
    public static SmtpTlsProxy before(Vertx vertx, int port, IntPredicate lets) {
        return new SmtpTlsProxy(vertx, port, lets);
    }

    public int port() {
        return server.actualPort();
    }

    public int connections() {
        return connections.get();
    }

    private void greet(NetSocket front) {
        front.exceptionHandler(broken -> {});
        if (!lets.test(connections.incrementAndGet())) {
            front.end(Buffer.buffer("421 4.7.0 Too many connections\r\n"));
            return;
        }
        front.handler(bytes -> {
            String command = bytes.toString().toUpperCase(Locale.ROOT);
            if (command.startsWith("EHLO")) {
                front.write("250-mail.lab.test\r\n250 STARTTLS\r\n");
            } else if (command.startsWith("STARTTLS")) {
                startTls(front);
            } else {
                front.end(Buffer.buffer("221 2.0.0 Bye\r\n"));
            }
        });
        front.write("220 mail.lab.test ESMTP\r\n");
    }

    private void startTls(NetSocket front) {
        client.connect(behind, "127.0.0.1").onFailure(refused -> front.close()).onSuccess(back -> {
            back.exceptionHandler(broken -> {});
            back.handler(front::write);
            back.closeHandler(closed -> front.close());
            front.handler(back::write);
            front.closeHandler(closed -> back.close());
            front.write("220 2.0.0 Ready to start TLS\r\n");
        });
    }
}
