package dev.plumbline.quota;

import static dev.plumbline.support.TestDatabase.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.postgres.Database;
import dev.plumbline.support.TestDatabase;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The SQL functions compared with a reference model. */
@Tag("integration")
class SlidingWindowModelTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final long SECOND = 1_000_000;
    private static final long HOUR = 3_600 * SECOND;
    private static final long BEGIN = 1_800_000_000 * SECOND;
    private static final String CHARGE =
            """
      select granted, remaining, reset_micros, retry_micros, charged_at
      from charge_quotas($1, $2, $3, $4, $5, $6) order by item""";

    private static Database database;

    @BeforeAll
    static void open() {
        database = DATABASE.open();
    }

    private record Ask(String key, int cost) {}

    private record Reply(boolean granted, int remaining, long reset, long retry, long chargedAt) {}

    /** The charges of a key, one element per unit of cost. */
    private static final class Model {
        final int limit;
        final long window;
        final List<Long> charges = new ArrayList<>();
        final List<Long> everGranted = new ArrayList<>();

        Model(int limit, long window) {
            this.limit = limit;
            this.window = window;
        }

        Reply charge(long clock, int cost) {
            long now = charges.isEmpty() ? clock : Math.max(clock, charges.get(charges.size() - 1));
            List<Long> held = charges.stream().filter(t -> t > now - window).toList();
            boolean granted = held.size() + cost <= limit;
            long retry = 0;
            if (granted) {
                charges.addAll(Collections.nCopies(cost, now));
                everGranted.addAll(Collections.nCopies(cost, now));
                held = charges.stream().filter(t -> t > now - window).toList();
            } else {
                retry = window;
                for (long t : held) {
                    long free = held.stream().filter(other -> other > t).count();
                    if (free + cost <= limit) {
                        retry = t + window - now;
                        break;
                    }
                }
            }
            long reset = held.isEmpty() ? 0 : held.get(0) + window - now;
            return new Reply(granted, limit - held.size(), reset, retry, now);
        }

        void refund(long chargedAt, int cost) {
            for (int i = 0; i < cost; i++) {
                charges.remove((Long) chargedAt);
                everGranted.remove((Long) chargedAt);
            }
        }

        void assertNeverMoreThanTheLimit() {
            for (long end : everGranted) {
                assertThat(everGranted.stream()
                                .filter(t -> t > end - window && t <= end)
                                .count())
                        .isLessThanOrEqualTo(limit);
            }
        }
    }

    private static List<Reply> charge(String policy, List<Ask> asks, int limit, long window, long now) {
        int size = asks.size();
        String[] policies = Collections.nCopies(size, policy).toArray(String[]::new);
        String[] keys = asks.stream().map(Ask::key).toArray(String[]::new);
        Integer[] costs = asks.stream().map(Ask::cost).toArray(Integer[]::new);
        Integer[] limits = Collections.nCopies(size, limit).toArray(Integer[]::new);
        Long[] windows = Collections.nCopies(size, window).toArray(Long[]::new);
        List<Reply> replies = new ArrayList<>();
        for (Row row : await(database.query(CHARGE, Tuple.of(policies, keys, costs, limits, windows, now)))) {
            replies.add(
                    new Reply(row.getBoolean(0), row.getInteger(1), row.getLong(2), row.getLong(3), row.getLong(4)));
        }
        return replies;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    void matchesTheReferenceModel(int seed) {
        Random random = new Random(seed);
        int limit = 1 + random.nextInt(12);
        long window = (1 + random.nextInt(60)) * SECOND;
        String policy = "model" + seed;
        Map<String, Model> models = new HashMap<>();
        long now = BEGIN;
        for (int step = 0; step < 80; step++) {
            // mostly forward, sometimes exactly to an edge, sometimes backward
            now += switch (random.nextInt(8)) {
                case 0 -> window;
                case 1 -> -random.nextInt((int) SECOND);
                case 2 -> 0;
                default -> random.nextLong(window / 2);
            };
            List<Ask> asks = new ArrayList<>();
            for (int i = random.nextInt(10); i >= 0; i--) {
                asks.add(new Ask("key" + random.nextInt(3), 1 + random.nextInt(3)));
            }
            List<Reply> replies = charge(policy, asks, limit, window, now);
            for (int i = 0; i < asks.size(); i++) {
                Ask ask = asks.get(i);
                Model model = models.computeIfAbsent(ask.key, k -> new Model(limit, window));
                Reply expected = model.charge(batchTime(asks, i, replies, now), ask.cost);
                assertThat(replies.get(i))
                        .as("seed %d, step %d, item %d", seed, step, i)
                        .isEqualTo(expected);
                if (expected.granted && random.nextInt(6) == 0 && last(asks, i)) {
                    refund(policy, ask, expected.chargedAt);
                    model.refund(expected.chargedAt, ask.cost);
                }
            }
        }
        models.values().forEach(Model::assertNeverMoreThanTheLimit);
    }

    // all requests of a batch for one key have the same time
    private static long batchTime(List<Ask> asks, int item, List<Reply> replies, long now) {
        for (int i = 0; i < item; i++) {
            if (asks.get(i).key.equals(asks.get(item).key)) {
                return replies.get(i).chargedAt;
            }
        }
        return now;
    }

    private static boolean last(List<Ask> asks, int item) {
        return asks.subList(item + 1, asks.size()).stream().noneMatch(later -> later.key.equals(asks.get(item).key));
    }

    private static void refund(String policy, Ask ask, long chargedAt) {
        await(database.query(
                "select refund_quotas($1, $2, $3, $4)",
                Tuple.of(new String[] {policy}, new String[] {ask.key}, new Integer[] {ask.cost}, new Long[] {chargedAt
                })));
    }

    @Test
    void thirtyInAnySixtyMinutes() {
        List<Ask> one = List.of(new Ask("person", 1));
        for (int minute = 0; minute < 30; minute++) {
            Reply reply = charge("fresh", one, 30, HOUR, BEGIN + minute * 60L * SECOND)
                    .get(0);
            assertThat(reply.granted).isTrue();
            assertThat(reply.remaining).isEqualTo(29 - minute);
        }
        assertThat(charge("fresh", one, 30, HOUR, BEGIN + HOUR - 1))
                .containsExactly(new Reply(false, 0, 1, 1, BEGIN + HOUR - 1));
        assertThat(charge("fresh", one, 30, HOUR, BEGIN + HOUR).get(0).granted).isTrue();
        assertThat(charge("fresh", one, 30, HOUR, BEGIN + HOUR).get(0).retry).isEqualTo(60 * SECOND);
        assertThat(charge("fresh", one, 30, HOUR, BEGIN + HOUR + 60 * SECOND).get(0).granted)
                .isTrue();
    }

    @Test
    void aClockThatRunsBackwardsGrantsNothing() {
        List<Ask> two = List.of(new Ask("backwards", 2));
        assertThat(charge("fresh", two, 2, HOUR, BEGIN + HOUR).get(0).granted).isTrue();
        Reply reply = charge("fresh", two, 2, HOUR, BEGIN).get(0);
        assertThat(reply.granted).isFalse();
        assertThat(reply.retry).isEqualTo(HOUR);
    }

    @Test
    void aLowerLimitIsEffectiveAtOnce() {
        assertThat(charge("fresh", List.of(new Ask("lower", 5)), 10, HOUR, BEGIN)
                        .get(0)
                        .granted)
                .isTrue();
        assertThat(charge("fresh", List.of(new Ask("lower", 1)), 3, HOUR, BEGIN + SECOND))
                .containsExactly(new Reply(false, 0, HOUR - SECOND, HOUR - SECOND, BEGIN + SECOND));
    }
}
