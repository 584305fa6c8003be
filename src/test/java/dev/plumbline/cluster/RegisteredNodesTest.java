package dev.plumbline.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.config.NodeRole;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class RegisteredNodesTest {
    private final AtomicLong nanos = new AtomicLong();
    private final RegisteredNodes nodes = new RegisteredNodes(nanos::get, Duration.ofSeconds(20));

    /** The names of the nodes after a read that returned these names. */
    private List<String> readAfter(int seconds, String... names) {
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(seconds));
        return nodes
                .use(Stream.of(names)
                        .map(name -> new NodeStore.RegisteredNode(
                                new NodeRecord(name, Set.of(NodeRole.RUN), "test", 1, List.of()), false, 60_000))
                        .toList())
                .stream()
                .map(node -> node.node().name())
                .toList();
    }

    @Test
    void aNodeThatIsNoLongerRegisteredIsNotIncluded() {
        readAfter(5, "a", "b");

        assertThat(readAfter(5, "a")).containsExactly("a");
    }

    @Test
    void afterAnOutageNodesHaveTimeToRenewTheirLease() {
        readAfter(5, "a", "b", "c");

        assertThat(readAfter(60)).containsExactly("a", "b", "c");
        assertThat(readAfter(1, "b")).containsExactly("a", "b", "c");
        assertThat(readAfter(5, "b", "a")).containsExactly("a", "b", "c");
        assertThat(readAfter(5, "b", "a")).containsExactly("a", "b");
    }

    @Test
    void aNodeThatLeavesAfterItsRenewalIsNotIncluded() {
        readAfter(5, "a", "b");
        readAfter(60, "a", "b");

        assertThat(readAfter(1, "a")).containsExactly("a");
    }

    @Test
    void aNodeThatRegistersAgainReplacesItsEarlierRegistration() {
        readAfter(5, "a");
        readAfter(60);

        assertThat(readAfter(1, "a", "d")).containsExactly("a", "d");
    }
}
