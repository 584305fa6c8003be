package dev.plumbline.dns;

import io.vertx.core.Completable;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.net.SocketAddress;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Message;
import org.xbill.DNS.Record;

/**
 * One question to one server, from its wait for room until it is answered or given up; then it
 * leaves its {@link DnsUdpSocketPool} and tells the asker, once. Used on that loop only.
 */
final class DnsQuery {
    /** What is asked of whom. */
    record Question(SocketAddress server, Record record, boolean edns) {}

    /** After so long a server has read a question, or never will. */
    private static final long UNREAD_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /** After so long a question or its answer is taken for lost (RFC 1035 section 4.2.1). */
    private static final long LOST_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Question question;
    private final long endNanos;
    private final ContextInternal asker;
    private final Completable<Message> told;
    private final DnsUdpSocketPool loop;
    private @Nullable DnsUdpSocket port;
    private int id;
    private boolean unread;
    private boolean repeated;
    private long sentNanos;
    private boolean over;

    /**
     * @param endNanos when it is given up, of {@link System#nanoTime}
     * @param asker where the outcome is told
     */
    DnsQuery(
            Question question, long endNanos, ContextInternal asker, Completable<Message> told, DnsUdpSocketPool loop) {
        this.question = question;
        this.endNanos = endNanos;
        this.asker = asker;
        this.told = told;
        this.loop = loop;
    }

    Question question() {
        return question;
    }

    boolean isOver() {
        return over;
    }

    /** It has room and is about to be sent. */
    void admitted(long nowNanos) {
        unread = true;
        sentNanos = nowNanos;
    }

    /** It has been sent. */
    void askedFrom(DnsUdpSocket from, int withId) {
        port = from;
        id = withId;
    }

    /** Repeats what seems to be lost, once, and gives up what has taken too long. */
    void strike(long nowNanos) {
        if (over) {
            return;
        }
        if (nowNanos - endNanos >= 0) {
            fail(port == null ? DnsResolver.tooMany() : DnsTimeout.failure());
        } else if (port != null && nowNanos - sentNanos >= UNREAD_NANOS) {
            read();
            if (!repeated && nowNanos - sentNanos >= LOST_NANOS) {
                repeated = true;
                port.repeat(this, id);
            }
        }
    }

    void succeed(Message answer) {
        end(answer, null);
    }

    void fail(Throwable cause) {
        end(null, cause);
    }

    private void end(@Nullable Message answer, @Nullable Throwable cause) {
        if (over) {
            return;
        }
        over = true;
        if (port != null) {
            port.forget(id);
        }
        loop.left(this);
        read();
        asker.emit(now -> told.complete(answer, cause));
    }

    private void read() {
        if (unread) {
            unread = false;
            loop.read();
        }
    }
}
