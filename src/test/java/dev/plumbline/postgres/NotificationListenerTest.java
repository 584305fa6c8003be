package dev.plumbline.postgres;

import static dev.plumbline.support.TestDatabase.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.support.Await;
import dev.plumbline.support.FaultInjectionProxy;
import dev.plumbline.support.TestDatabase;
import io.vertx.sqlclient.Tuple;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Notifications and reconnects. */
@Tag("integration")
class NotificationListenerTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static Database database;

    private final List<String> heard = new CopyOnWriteArrayList<>();
    private final AtomicInteger missed = new AtomicInteger();
    private NotificationListener notifications;

    @BeforeAll
    static void open() {
        database = DATABASE.open();
    }

    private void listen(String url) {
        notifications = new NotificationListener(DATABASE.vertx(), url, 100)
                .onConnected(missed::incrementAndGet)
                .on("news_one", payload -> heard.add("one " + payload))
                .on("news_two", payload -> heard.add("two " + payload));
        notifications.start();
    }

    @AfterEach
    void close() {
        if (notifications != null) {
            await(notifications.close());
        }
    }

    @Test
    void notificationsReachTheHandlerOfTheirChannel() {
        listen(DATABASE.url());
        Await.until(() -> missed.get() == 1);

        tell("news_one", "a");
        tell("news_two", "b");
        tell("elsewhere", "c");
        tell("news_one", "d");

        Await.until(() -> heard.size() == 3);
        assertThat(heard).containsExactly("one a", "two b", "one d");
    }

    @Test
    void aLostConnectionIsReestablishedAndReported() {
        FaultInjectionProxy proxy =
                new FaultInjectionProxy(DATABASE.vertx(), DATABASE.server().port());
        listen(DATABASE.url().replaceAll(":\\d+/", ":" + proxy.port() + "/"));
        Await.until(() -> missed.get() == 1);

        proxy.refuseConnections();
        tell("news_one", "lost");
        proxy.acceptConnections();

        Await.until(() -> missed.get() == 2);
        tell("news_one", "later");
        Await.until(() -> !heard.isEmpty());
        assertThat(heard).containsExactly("one later");
        proxy.refuseConnections();
    }

    /** Without a heartbeat, an unreachable peer is detected only by the kernel. */
    @Test
    void anUnresponsiveConnectionIsReestablished() {
        FaultInjectionProxy proxy =
                new FaultInjectionProxy(DATABASE.vertx(), DATABASE.server().port());
        listen(DATABASE.url().replaceAll(":\\d+/", ":" + proxy.port() + "/"));
        Await.until(() -> missed.get() == 1);

        proxy.dropData();
        Await.until(() -> !notifications.listening());
        proxy.forwardData();

        Await.until(() -> missed.get() == 2);
        proxy.refuseConnections();
    }

    @Test
    void invalidChannelNamesAreRejected() {
        NotificationListener strict = new NotificationListener(DATABASE.vertx(), DATABASE.url());

        assertThatThrownBy(() -> strict.on("a; drop table account", payload -> {}))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static void tell(String channel, String payload) {
        await(database.query("select pg_notify($1, $2)", Tuple.of(channel, payload)));
    }
}
