package dev.plumbline.probe;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.BusyFailure;
import dev.plumbline.config.Config;
import dev.plumbline.lab.Await;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RegistryPaceTest {
  private Vertx vertx;
  private RegistryPace pace;

  @BeforeEach
  void start() {
    vertx = Vertx.vertx();
    pace = new RegistryPace(vertx, new Config.Pace(0, 1));
  }

  @AfterEach
  void stop() {
    Await.value(vertx.close());
  }

  @Test
  void oneServerIsAskedByOneAfterTheOther() {
    Promise<String> first = Promise.promise();
    AtomicInteger asked = new AtomicInteger();
    Future<String> one = pace.take(TestContext.create(), "a", first::future);
    Future<String> other =
        pace.take(
            TestContext.create(),
            "a",
            () -> {
              asked.incrementAndGet();
              return Future.succeededFuture("second");
            });
    assertThat(Await.value(pace.take(TestContext.create(), "b", () -> Future.succeededFuture(1))))
        .as("another server has a pace of its own")
        .isEqualTo(1);
    assertThat(asked).hasValue(0);

    first.complete("first");

    assertThat(Await.value(one)).isEqualTo("first");
    assertThat(Await.value(other)).isEqualTo("second");
  }

  @Test
  void whoseTurnDoesNotComeIsToldToComeAgain() {
    Promise<String> never = Promise.promise();
    Future<String> first = pace.take(TestContext.create(), "a", never::future);

    Throwable refused =
        Await.failure(
            pace.take(
                TestContext.create().withDeadline(100), "a", () -> Future.succeededFuture("late")));

    assertThat(refused).isInstanceOf(BusyFailure.class);
    assertThat(first.isComplete()).isFalse();
  }

  @Test
  void aQuestionThatThrowsGivesItsPlaceBack() {
    Await.failure(
        pace.take(
            TestContext.create(),
            "a",
            () -> {
              throw new IllegalStateException("broken");
            }));

    assertThat(Await.value(pace.take(TestContext.create(), "a", () -> Future.succeededFuture(1))))
        .isEqualTo(1);
  }
}
