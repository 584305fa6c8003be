package dev.plumbline.support;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetSocket;
import java.util.Locale;
import java.util.function.IntPredicate;

/** A mail server that starts TLS with a TLS server on loopback, and counts its connections. */
public final class SmtpTlsProxy extends LoopbackProxy {
    private final Vertx vertx;
    private final int greetingMillis;

    private SmtpTlsProxy(Vertx vertx, int port, int behind, IntPredicate lets, int greetingMillis) {
        super(vertx, port, behind, lets);
        this.vertx = vertx;
        this.greetingMillis = greetingMillis;
    }

    /** Starts a mail server before the TLS server on this port. It ends with the Vert.x instance. */
    public static SmtpTlsProxy before(Vertx vertx, int port) {
        return before(vertx, port, nth -> true);
    }

    /** Starts a mail server on this port before the TLS server on another one. It ends with the Vert.x instance. */
    public static SmtpTlsProxy start(Vertx vertx, int port, int behind) {
        return new SmtpTlsProxy(vertx, port, behind, nth -> true, 0);
    }

    /** As the other method, but rejects connections whose number, from 1, does not match. */
    public static SmtpTlsProxy before(Vertx vertx, int port, IntPredicate lets) {
        return new SmtpTlsProxy(vertx, 0, port, lets, 0);
    }

    /** As the first method, but delays the greeting of the first connection. */
    public static SmtpTlsProxy beforeWithDelay(Vertx vertx, int port, int greetingMillis) {
        return new SmtpTlsProxy(vertx, 0, port, nth -> true, greetingMillis);
    }

    @Override
    void reject(NetSocket front) {
        front.end(Buffer.buffer("421 4.7.0 Too many connections\r\n"));
    }

    @Override
    void accept(NetSocket front) {
        front.handler(bytes -> {
            String command = bytes.toString().toUpperCase(Locale.ROOT);
            if (command.startsWith("EHLO")) {
                front.write("250-mail.lab.test\r\n250 STARTTLS\r\n");
            } else if (command.startsWith("STARTTLS")) {
                forward(front, () -> front.write("220 2.0.0 Ready to start TLS\r\n"));
            } else {
                front.end(Buffer.buffer("221 2.0.0 Bye\r\n"));
            }
        });
        if (greetingMillis > 0 && connections() == 1) {
            vertx.setTimer(greetingMillis, late -> greet(front));
        } else {
            greet(front);
        }
    }

    private static void greet(NetSocket front) {
        front.write("220 mail.lab.test ESMTP\r\n");
    }
}
