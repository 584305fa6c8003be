package dev.plumbline.http.api.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.bus.JobMessage;
import dev.plumbline.support.Await;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetSocket;
import io.vertx.ext.web.Router;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class LineReadAheadTest {
    private final List<Promise<List<JobMessage.ResultLine>>> reads = new ArrayList<>();
    private final LineReadAhead lines = new LineReadAhead(
            indexes -> {
                reads.add(Promise.promise());
                return reads.get(reads.size() - 1).future();
            },
            IntStream.range(0, 5 * LineStream.PAGE_LINES).boxed().toList());

    private final Vertx vertx = Vertx.vertx();
    private HttpServer server;
    private NetClient client;

    @AfterEach
    void stop() {
        Await.value(vertx.close());
    }

    /** A page; the reader does not use its lines. */
    private static List<JobMessage.ResultLine> page() {
        return Collections.nCopies(LineStream.PAGE_LINES, null);
    }

    @Test
    void readsOnePageInAdvance() {
        Future<List<JobMessage.ResultLine>> first = lines.next();
        assertThat(reads).hasSize(1);

        reads.get(0).complete(page());

        assertThat(first.result()).hasSize(LineStream.PAGE_LINES);
        assertThat(reads).hasSize(2);
    }

    @Test
    void readsNoOtherPageAfterTheEnd() {
        Future<List<JobMessage.ResultLine>> first = lines.next();

        lines.close();
        reads.get(0).complete(page());

        assertThat(first.succeeded()).isTrue();
        assertThat(reads).hasSize(1);
    }

    /** Rows without an end. */
    private record EndlessRows(CountDownLatch closed) implements BodyStream.Rows<String> {
        @Override
        public void begin(Buffer out) {}

        @Override
        public boolean hasNext() {
            return true;
        }

        @Override
        public Future<List<String>> next() {
            return Future.succeededFuture(List.of("x".repeat(100_000)));
        }

        @Override
        public void write(Buffer out, String row) {
            out.appendString(row);
        }

        @Override
        public void end(Buffer out) {}

        @Override
        public int written() {
            return 0;
        }

        @Override
        public void close() {
            closed.countDown();
        }
    }

    @Test
    void aResponseEndsTheReaderWhenTheConnectionIsClosed() throws Exception {
        CountDownLatch closed = new CountDownLatch(1);
        Router router = Router.router(vertx);
        router.get().handler(ctx -> new BodyStream<>(ctx, new EndlessRows(closed), 60_000, () -> {}).send());
        server = Await.value(vertx.createHttpServer().requestHandler(router).listen(0, "127.0.0.1"));
        client = vertx.createNetClient();
        Promise<Void> received = Promise.promise();
        NetSocket socket = Await.value(client.connect(server.actualPort(), "127.0.0.1"));
        socket.handler(bytes -> received.tryComplete());
        socket.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
        Await.value(received.future());
        assertThat(closed.getCount()).isEqualTo(1);

        Await.value(socket.close());

        assertThat(closed.await(20, TimeUnit.SECONDS)).isTrue();
    }
}
