package dev.plumbline.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.config.NodeRole;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class SplitDetectorTest {
    private static final Duration LEASE = Duration.ofSeconds(20);
    private static final int RENEWAL = (int) NodeLease.renewal(LEASE).toSeconds();
    private static final int JOIN_TIMEOUT = (int) SplitDetector.JOIN_TIMEOUT.toSeconds();
    private static final int SPLIT_AFTER = (int) SplitDetector.splitAfter(LEASE).toSeconds();

    private final AtomicLong nanos = new AtomicLong();
    private final SplitDetector detector = new SplitDetector(nanos::get, LEASE);

    /** The second in which each node registered. */
    private final Map<String, Long> registered = new HashMap<>();

    private final Set<String> members = new TreeSet<>();
    private final Set<String> silent = new TreeSet<>();

    private long second() {
        return TimeUnit.NANOSECONDS.toSeconds(nanos.get());
    }

    private void register(String... names) {
        for (String name : names) {
            registered.put(name, second());
        }
    }

    /** The states of the reads in this period. */
    private Set<Boolean> statesOf(int seconds) {
        List<Boolean> states = new ArrayList<>();
        for (int i = 0; i < seconds; i += RENEWAL) {
            nanos.addAndGet(TimeUnit.SECONDS.toNanos(RENEWAL));
            List<NodeStore.RegisteredNode> nodes = new ArrayList<>();
            registered.forEach((name, since) -> nodes.add(new NodeStore.RegisteredNode(
                    new NodeRecord(name, Set.of(NodeRole.RUN), "test", 1, List.of()),
                    false,
                    Duration.ofSeconds(second() - since).toMillis())));
            states.add(detector.compare(nodes, members, silent));
        }
        return Set.copyOf(states);
    }

    @Test
    void eightNodesThatStartTogetherAndJoinLateAreNotASplit() {
        List<String> names = List.of("a", "b", "c", "d", "e", "f", "g", "h");
        register(names.toArray(String[]::new));
        // clusters merge, and members deploy their runners, one after another
        for (String name : names) {
            members.add(name);
            silent.add(name);
            assertThat(statesOf(10)).containsOnly(false);
        }
        for (String name : names.subList(0, 7)) {
            silent.remove(name);
            assertThat(statesOf(RENEWAL)).containsOnly(false);
        }
        silent.clear();

        assertThat(statesOf(4 * JOIN_TIMEOUT)).containsOnly(false);
    }

    @Test
    void aNodeThatJoinsLateIsNotASplit() {
        register("self", "other");
        members.addAll(Set.of("self", "other"));
        assertThat(statesOf(4 * JOIN_TIMEOUT)).containsOnly(false);

        register("late");
        assertThat(statesOf(JOIN_TIMEOUT - RENEWAL)).containsOnly(false);
        members.add("late");

        assertThat(statesOf(2 * SPLIT_AFTER)).containsOnly(false);
    }

    @Test
    void aNodeThatNeverJoinsIsASplitAfterTheTimeout() {
        register("self", "other");
        members.add("self");

        assertThat(statesOf(JOIN_TIMEOUT + SPLIT_AFTER - RENEWAL)).containsOnly(false);
        assertThat(statesOf(3 * RENEWAL)).contains(true);
    }

    @Test
    void nodesThatWereConnectedAreASplitAfter25Seconds() {
        register("self", "other");
        members.addAll(Set.of("self", "other"));
        assertThat(statesOf(2 * SPLIT_AFTER)).containsOnly(false);

        members.remove("other");
        assertThat(statesOf(SPLIT_AFTER)).containsOnly(false);
        assertThat(statesOf(RENEWAL)).containsOnly(true);

        members.add("other");
        assertThat(statesOf(RENEWAL)).containsOnly(false);
    }

    @Test
    void aRestartedNodeJoinsAgain() {
        register("self", "other");
        members.addAll(Set.of("self", "other"));
        assertThat(statesOf(4 * SPLIT_AFTER)).containsOnly(false);

        members.remove("other");
        register("other");

        assertThat(statesOf(JOIN_TIMEOUT - RENEWAL)).containsOnly(false);
    }

    @Test
    void aConnectedNodeThatBecomesSilentIsASplit() {
        register("self", "other");
        members.addAll(Set.of("self", "other"));
        assertThat(statesOf(2 * SPLIT_AFTER)).containsOnly(false);

        silent.add("other");

        assertThat(statesOf(2 * SPLIT_AFTER)).contains(true);
    }
}
