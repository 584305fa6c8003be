package dev.plumbline.dns;

import dev.plumbline.concurrent.VertxInternals;
import io.vertx.core.Completable;
import io.vertx.core.Context;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Message;

/**
 * One query to one server over UDP, from the time it is queued until its response, failure or timeout. Completes its
 * callback once. Confined to the event loop of its {@link DnsUdpSocketPool}.
 */
final class DnsQuery {
    /** The time after which a query no longer counts as waiting in the receive buffer of the server. */
    private static final long MAX_UNREAD_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /** The retransmission timeout (RFC 1035 section 4.2.1). */
    private static final long RETRANSMIT_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final DnsQuestion question;
    private final long endNanos;
    private final Context context;
    private final Completable<Message> callback;
    private final DnsUdpSocketPool pool;
    private @Nullable DnsUdpSocket socket;
    private int id;
    private boolean unread;
    private boolean retransmitted;
    private long sentNanos;
    private boolean done;

    /**
     * @param endNanos the deadline, by {@link System#nanoTime}
     * @param context the context on which the callback is called
     */
    DnsQuery(
            DnsQuestion question,
            long endNanos,
            Context context,
            Completable<Message> callback,
            DnsUdpSocketPool pool) {
        this.question = question;
        this.endNanos = endNanos;
        this.context = context;
        this.callback = callback;
        this.pool = pool;
    }

    DnsQuestion question() {
        return question;
    }

    boolean isDone() {
        return done;
    }

    void sending(long nowNanos) {
        unread = true;
        sentNanos = nowNanos;
    }

    /** Records the socket and the ID with which the query was sent. */
    void sent(DnsUdpSocket udpSocket, int messageId) {
        socket = udpSocket;
        id = messageId;
    }

    /** Retransmits the query once after the retransmission timeout, and fails it after the deadline. */
    void tick(long nowNanos) {
        if (done) {
            return;
        }
        if (nowNanos - endNanos >= 0) {
            fail(socket == null ? DnsResolver.overload() : question.timeout());
        } else if (socket != null && nowNanos - sentNanos >= MAX_UNREAD_NANOS) {
            markRead();
            if (!retransmitted && nowNanos - sentNanos >= RETRANSMIT_NANOS) {
                retransmitted = true;
                socket.retransmit(this, id);
            }
        }
    }

    /**
     * Handles an error of the socket. A closed port of a resolver counts as a timeout, because the resolver may be
     * restarting.
     */
    void socketFailed(boolean portClosed) {
        if (!portClosed) {
            fail(question.failed("cannot be reached, because the UDP socket failed."));
        } else if (!question.flags().recursionDesired()) {
            fail(question.refused());
        }
    }

    void succeed(Message response) {
        end(response, null);
    }

    void fail(Throwable cause) {
        end(null, cause);
    }

    private void end(@Nullable Message response, @Nullable Throwable cause) {
        if (done) {
            return;
        }
        done = true;
        if (socket != null) {
            socket.remove(id);
        }
        pool.remove(this);
        markRead();
        VertxInternals.emit(context, now -> callback.complete(response, cause));
    }

    private void markRead() {
        if (unread) {
            unread = false;
            pool.onRead();
        }
    }
}
