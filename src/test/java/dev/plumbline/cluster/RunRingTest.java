package dev.plumbline.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RunRingTest {
    private static final List<String> NODES =
            List.of("10.0.0.1:5701", "10.0.0.2:5701", "10.0.0.3:5701", "10.0.0.4:5701");

    private static List<String> keys() {
        return IntStream.range(0, 20_000)
                .mapToObj(i -> "example-" + i + ".test")
                .toList();
    }

    @Test
    void withoutNodesNoKeyHasAnOwner() {
        RunRing empty = new RunRing(List.of());

        assertThat(empty.owner("example.test")).isNull();
        assertThat(empty.order("example.test")).isEmpty();
    }

    @Test
    void theOrderOfTheNodesDoesNotMatter() {
        List<String> reversed = new ArrayList<>(NODES);
        java.util.Collections.reverse(reversed);

        for (String key : keys().subList(0, 500)) {
            assertThat(new RunRing(reversed).order(key)).isEqualTo(new RunRing(NODES).order(key));
        }
    }

    @Test
    void theOwnerIsTheFirstInTheOrder() {
        RunRing ring = new RunRing(NODES);

        for (String key : keys().subList(0, 500)) {
            assertThat(ring.order(key))
                    .containsExactlyInAnyOrderElementsOf(NODES)
                    .startsWith(ring.owner(key));
        }
    }

    @Test
    void keysAreSpreadEvenly() {
        RunRing ring = new RunRing(NODES);
        Map<String, Integer> counts = new HashMap<>();
        keys().forEach(key -> counts.merge(String.valueOf(ring.owner(key)), 1, Integer::sum));

        assertThat(counts.values()).hasSize(4).allSatisfy(count -> assertThat(count)
                .isBetween(4_700, 5_300));
    }

    @Test
    void ifANodeLeavesItsKeysMoveToTheNextInTheOrderAndNoOthersMove() {
        RunRing before = new RunRing(NODES);
        RunRing after = new RunRing(NODES.subList(0, 3));

        for (String key : keys()) {
            List<String> order = before.order(key);
            String expected = order.get(0).equals(NODES.get(3)) ? order.get(1) : order.get(0);
            assertThat(after.owner(key)).isEqualTo(expected);
        }
    }
}
