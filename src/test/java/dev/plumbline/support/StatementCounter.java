package dev.plumbline.support;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;
import java.net.URI;
import java.util.concurrent.atomic.AtomicInteger;

/** A proxy that counts the executed statements (PostgreSQL protocol). */
public final class StatementCounter {
    private final AtomicInteger executed = new AtomicInteger();
    private final NetClient client;
    private final NetServer server;
    private final URI database;

    public StatementCounter(Vertx vertx, String url) {
        database = URI.create(url);
        client = vertx.createNetClient();
        server =
                Await.value(vertx.createNetServer().connectHandler(this::accept).listen(0, "127.0.0.1"));
    }

    /** The database URL through the proxy. */
    public String url() {
        return "postgresql://"
                + database.getRawUserInfo()
                + "@127.0.0.1:"
                + server.actualPort()
                + database.getRawPath();
    }

    public int executed() {
        return executed.get();
    }

    private void accept(NetSocket in) {
        in.pause();
        client.connect(database.getPort(), database.getHost())
                .onFailure(gone -> in.close())
                .onSuccess(out -> {
                    Frames frames = new Frames();
                    in.handler(bytes -> {
                        frames.read(bytes);
                        out.write(bytes);
                    });
                    out.handler(in::write);
                    in.closeHandler(closed -> out.close());
                    out.closeHandler(closed -> in.close());
                    in.resume();
                });
    }

    /** Parses client messages: the first has no type, the others have one. */
    private final class Frames {
        private static final int LENGTH = 4;

        private Buffer rest = Buffer.buffer();
        private boolean started;

        void read(Buffer bytes) {
            rest.appendBuffer(bytes);
            int head = started ? 1 : 0;
            while (rest.length() >= head + LENGTH && rest.length() >= head + rest.getInt(head)) {
                if (started && rest.getByte(0) == 'E') {
                    executed.incrementAndGet();
                }
                rest = rest.getBuffer(head + rest.getInt(head), rest.length());
                started = true;
                head = 1;
            }
        }
    }
}
