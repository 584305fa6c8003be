package dev.plumbline.probe.http;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.budget.MemoryBudget;
import dev.plumbline.budget.MemoryHolder;
import dev.plumbline.egress.EgressGuard;
import dev.plumbline.probe.http.ConnectionPool.OpenConnection;
import dev.plumbline.support.Await;
import dev.plumbline.target.Host;
import io.netty.channel.embedded.EmbeddedChannel;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.net.InetAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ConnectionPoolTest {
    private final Vertx vertx = Vertx.vertx();
    private final MemoryHolder memory = new MemoryBudget(vertx, 8 << 20, 1).open("a", 1 << 20);
    private final AtomicLong nanos = new AtomicLong();
    private final ConnectionPool pool = new ConnectionPool(vertx, memory, nanos::get);
    private final HttpTlsOptions engine = HttpTlsOptions.engines(vertx).get(0).get();

    @AfterEach
    void close() {
        Await.value(vertx.close());
    }

    private ConnectionPool.Key key(int port) {
        return new ConnectionPool.Key(
                new Host("lab.test", null),
                port,
                InetAddress.getLoopbackAddress(),
                HttpRequestSpec.Alpn.HTTP2_AND_HTTP1,
                true,
                engine);
    }

    private OpenConnection connection(int port) {
        return new OpenConnection(key(port), new EmbeddedChannel(), 1, 2, nanos.get());
    }

    @Test
    void returnsTheConnectionThatWasUsedLast() {
        OpenConnection first = connection(1);
        OpenConnection second = connection(1);
        pool.offer(first);
        pool.offer(second);
        pool.offer(connection(2));

        assertThat(pool.poll(key(1))).isSameAs(second);
        assertThat(pool.poll(key(1))).isSameAs(first);
        assertThat(pool.poll(key(1))).isNull();
    }

    @Test
    void doesNotReturnAConnectionThatIsClosedOrIdleForLong() {
        OpenConnection closed = connection(1);
        OpenConnection old = connection(1);
        pool.offer(old);
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(2));
        pool.offer(closed);
        nanos.incrementAndGet();
        closed.channel().close();

        assertThat(pool.poll(key(1))).isNull();
        assertThat(old.channel().isOpen()).isFalse();
        assertThat(memory.peak()).isPositive();
        assertThat(pool.offer(closed)).isFalse();
    }

    @Test
    void closesTheConnectionThatWasIdleLongestIfThereAreTooMany() {
        OpenConnection oldest = connection(1);
        pool.offer(oldest);
        for (int i = 1; i <= ConnectionPool.MAX_IDLE; i++) {
            assertThat(oldest.channel().isOpen()).isTrue();
            assertThat(pool.offer(connection(2))).isTrue();
        }

        assertThat(oldest.channel().isOpen()).isFalse();
    }

    @Test
    void keepsOnlyConnectionsForWhichThereIsMemory() throws Exception {
        assertThat(memory.tryReserve((1 << 20) - EgressGuard.CONNECTION_BYTES)).isTrue();

        OpenConnection kept = connection(1);
        assertThat(pool.offer(kept)).isTrue();
        assertThat(pool.offer(connection(1))).isFalse();
        assertThat(pool.poll(key(1))).isSameAs(kept);
        assertThat(pool.offer(connection(1))).isTrue();
    }

    @Test
    void closesIdleConnectionsAtTheEnd() {
        OpenConnection idle = connection(1);
        pool.offer(idle);

        pool.close();

        assertThat(idle.channel().isOpen()).isFalse();
        assertThat(pool.offer(connection(1))).isFalse();
        assertThat(pool.poll(key(1))).isNull();
    }

    /** The promises of the requests that have started. */
    private final List<Promise<String>> started = new CopyOnWriteArrayList<>();

    private List<Future<String>> start(int requests) {
        return IntStream.range(0, requests)
                .mapToObj(number -> pool.limited(key(1), () -> {
                    Promise<String> promise = Promise.promise();
                    started.add(promise);
                    return promise.future();
                }))
                .toList();
    }

    @Test
    void limitsTheConcurrentRequestsToAServer() {
        List<Future<String>> all = start(ConnectionPool.MAX_CONCURRENT + 1);
        assertThat(started).hasSize(ConnectionPool.MAX_CONCURRENT);

        pool.limited(key(2), () -> Future.succeededFuture("other server"));
        started.get(0).fail("failed");

        assertThat(Await.failure(all.get(0))).hasMessage("failed");
        assertThat(started).hasSize(ConnectionPool.MAX_CONCURRENT + 1);
        started.get(ConnectionPool.MAX_CONCURRENT).complete("last");
        assertThat(Await.value(all.get(ConnectionPool.MAX_CONCURRENT))).isEqualTo("last");
    }

    @Test
    void aRequestDoesNotWaitForLong() {
        List<Future<String>> all = start(ConnectionPool.MAX_CONCURRENT + 2);

        Await.until(() -> started.size() == all.size());

        started.forEach(promise -> promise.complete("late"));
        all.forEach(result -> assertThat(Await.value(result)).isEqualTo("late"));
    }

    @Test
    void requestsOverHttp1DoNotWait() {
        List<Future<String>> all = start(2 * ConnectionPool.MAX_CONCURRENT);

        pool.removeLimit(key(1));

        assertThat(started).hasSize(all.size());
        start(1);
        assertThat(started).hasSize(all.size() + 1);
        assertThat(all).noneMatch(Future::isComplete);
    }
}
