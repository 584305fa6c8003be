package dev.plumbline.lab;

import dev.plumbline.support.Await;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LabExchangeTest {
    private Vertx vertx;

    @BeforeEach
    void start() {
        vertx = Vertx.vertx();
    }

    @AfterEach
    void stop() {
        Await.value(vertx.close());
    }

    @Test
    void resetCompletesIfTheConnectionIsClosed() {
        Promise<Void> reset = Promise.promise();
        NetServer server = vertx.createNetServer().connectHandler(socket -> {
            LabExchange exchange = LabExchange.over(vertx, socket);
            socket.close().compose(closed -> exchange.reset()).onComplete(reset);
        });
        Await.value(server.listen(0, "127.0.0.1"));
        NetSocket client = Await.value(vertx.createNetClient().connect(server.actualPort(), "127.0.0.1"));

        Await.value(reset.future());

        Await.value(client.close());
    }
}
