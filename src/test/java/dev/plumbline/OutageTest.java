package dev.plumbline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.lab.Await;
import dev.plumbline.lab.HttpLab;
import dev.plumbline.lab.Relay;
import dev.plumbline.store.TestDatabase;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** With the database gone, what is in memory is still answered and the rest is a quick 503. */
class OutageTest {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private static final long PATIENCE_MS = 30_000;

  @Test
  void itLivesOnMemoryAndComesBackByItself() throws IOException {
    HttpLab lab = Await.value(HttpLab.start(DATABASE.vertx()));
    URI real = URI.create(DATABASE.url());
    try (Relay relay = new Relay(real.getPort());
        ServiceUnderTest service =
            ServiceUnderTest.start(
                DATABASE.url().replace(":" + real.getPort() + "/", ":" + relay.port() + "/"),
                Map.of())) {
      String known = lab.http("/ok?known");
      assertThat(service.instant("http-status", known).statusCode()).isEqualTo(200);
      assertThat(ready(service)).isEqualTo(200);

      relay.cut();

      for (int i = 0; i < 3; i++) {
        assertThat(service.instant("http-status", known).statusCode()).isEqualTo(200);
        assertThat(service.get("/api/v1/tools").statusCode()).isEqualTo(200);
        HttpResponse<String> refused = service.instant("http-status", lab.http("/ok?out=" + i));
        assertThat(refused.statusCode()).isEqualTo(503);
        assertThat(refused.headers().firstValue("Retry-After")).isPresent();
        assertThat(new JsonObject(refused.body()).getString("code")).isEqualTo("unavailable");
      }
      assertThat(ready(service)).isEqualTo(503);
      assertThat(lab.requestsFor("/ok?out=0")).isEmpty();

      relay.mend();

      eventually(() -> service.instant("http-status", lab.http("/ok?back")).statusCode() == 200);
      eventually(() -> ready(service) == 200);
    }
  }

  private static int ready(ServiceUnderTest service) {
    return service.send("GET", service.management("/health/ready")).statusCode();
  }

  private interface Condition {
    boolean holds();
  }

  /** Asks again until it holds; each question takes its time over the network. */
  private static void eventually(Condition condition) {
    long end = System.nanoTime() + PATIENCE_MS * 1_000_000;
    while (!condition.holds()) {
      assertThat(System.nanoTime()).as("it never came back").isLessThan(end);
    }
  }
}
