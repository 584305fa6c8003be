package dev.plumbline.concurrent;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class FairQueueTest {
    @Test
    void obsoleteItemsAreDiscardedBeforeTheNextOfTheirKey() {
        FairQueue<String, Integer> queue = new FairQueue<>();
        List.of(1, 2, 3).forEach(item -> queue.offer("a", item));
        queue.offer("b", 4);
        queue.addFirst("a", 0);

        assertThat(queue.poll(key -> key.equals("b"), item -> item < 3)).isEqualTo(4);
        assertThat(queue.size("a")).isEqualTo(1);
        assertThat(queue.stream()).containsExactly(3);
        assertThat(queue.poll(key -> true, item -> item == 3)).isNull();
        assertThat(queue.isEmpty()).isTrue();
        assertThat(queue.keys()).isEmpty();
    }

    @Test
    void servesKeysRoundRobinAndItemsInOrder() {
        FairQueue<String, String> queue = new FairQueue<>(10, 10);
        for (String item : new String[] {"a1", "a2", "a3", "b1", "c1", "c2"}) {
            assertThat(queue.offer(item.substring(0, 1), item)).isTrue();
        }

        StringBuilder order = new StringBuilder();
        while (!queue.isEmpty()) {
            order.append(queue.poll()).append(' ');
        }

        assertThat(order.toString().trim()).isEqualTo("a1 b1 c1 a2 c2 a3");
        assertThat(queue.poll()).isNull();
    }

    @Test
    void skipsKeysThatDoNotMatch() {
        FairQueue<String, Integer> queue = new FairQueue<>(10, 10);
        queue.offer("a", 1);
        queue.offer("a", 2);
        queue.offer("b", 3);

        assertThat(queue.poll(key -> !key.equals("a"))).isEqualTo(3);
        assertThat(queue.poll(key -> !key.equals("a"))).isNull();
        assertThat(queue.poll()).isEqualTo(1);
        assertThat(queue.size()).isEqualTo(1);
    }

    @Test
    void limitsTheItemsInAllAndOfEachKey() {
        FairQueue<String, Integer> queue = new FairQueue<>(3, 2);

        assertThat(queue.offer("a", 1)).isTrue();
        assertThat(queue.offer("a", 2)).isTrue();
        assertThat(queue.offer("a", 3)).isFalse();
        assertThat(queue.offer("b", 1)).isTrue();
        assertThat(queue.offer("c", 1)).isFalse();
        assertThat(queue.size()).isEqualTo(3);
    }

    @Test
    void removesItems() {
        FairQueue<String, Integer> queue = new FairQueue<>(3, 3);
        queue.offer("a", 1);
        queue.offer("b", 2);

        assertThat(queue.remove("a", 1)).isTrue();
        assertThat(queue.remove("a", 1)).isFalse();
        assertThat(queue.remove("b", 1)).isFalse();
        assertThat(queue.poll()).isEqualTo(2);
        assertThat(queue.size()).isZero();
    }
}
