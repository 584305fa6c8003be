package dev.plumbline.quota;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.plumbline.bus.Message;
import dev.plumbline.bus.MessageBus;
import dev.plumbline.postgres.Database;
import dev.plumbline.support.Await;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class RateLimitVerticleTest {
    /** The URL of a database that does not exist. */
    private static final String NOWHERE = "postgresql://nobody:nothing@127.0.0.1:1/none";

    @Test
    void lostRefundsAreLoggedOncePerMinute() {
        Vertx vertx = Vertx.vertx();
        Logger ours = (Logger) LoggerFactory.getLogger("dev.plumbline");
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        ours.addAppender(lines);
        try {
            Database away = new Database(vertx, NOWHERE, 1, Duration.ofSeconds(5));
            QuotaPolicy fresh = new QuotaPolicy(30, Duration.ofHours(1));
            MessageBus bus = MessageBus.of(vertx);
            Await.value(vertx.deployVerticle(
                    new RateLimitVerticle(bus, new SlidingWindowQuotas(vertx, away, Map.of("fresh", fresh)))));

            List<Future<Message>> replies = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                replies.add(bus.request(new Message.RefundQuota("fresh", "198.51.100.1", 1, i), Message.class, 20_000));
            }

            for (Future<Message> reply : replies) {
                assertThat(Await.value(reply)).isEqualTo(new Message.QuotaUnavailable(false));
            }
            assertThat(lines.list)
                    .filteredOn(line -> line.getLoggerName().matches(".*(RateLimitVerticle|Bus)"))
                    .singleElement()
                    .satisfies(line -> assertThat(line.getMessage()).contains("quota refund failed"));
        } finally {
            ours.detachAppender(lines);
            Await.value(vertx.close());
        }
    }
}
