package dev.plumbline.portfolio;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class TargetIndexTest {
    @Test
    void equalTargetsAreMatchedInOrder() {
        TargetIndex index = new TargetIndex();
        List.of("a", "b", "a", "c", "a").forEach(index::add);

        assertThat(index.match("a")).isZero();
        assertThat(index.match("a")).isEqualTo(2);
        assertThat(index.match("missing")).isEqualTo(-1);
        assertThat(index.match("b")).isEqualTo(1);
        assertThat(index.unmatched()).containsExactly(3, 4);
        assertThat(index.match("a")).isEqualTo(4);
        assertThat(index.match("a")).isEqualTo(-1);
        assertThat(index.unmatched()).containsExactly(3);
    }

    @Property
    void eachLineIsMatchedOnce(
            @ForAll @Size(max = 3000) List<@IntRange(max = 20) Integer> before,
            @ForAll @Size(max = 200) List<@IntRange(max = 20) Integer> after) {
        TargetIndex index = new TargetIndex();
        Map<Integer, Deque<Integer>> expected = new HashMap<>();
        for (int line = 0; line < before.size(); line++) {
            index.add(before.get(line).toString());
            expected.computeIfAbsent(before.get(line), target -> new ArrayDeque<>())
                    .add(line);
        }

        List<Integer> matches = new ArrayList<>();
        List<Integer> expectedMatches = new ArrayList<>();
        for (Integer target : after) {
            matches.add(index.match(target.toString()));
            Integer line = expected.getOrDefault(target, new ArrayDeque<>()).poll();
            expectedMatches.add(line == null ? -1 : line);
        }

        assertThat(matches).isEqualTo(expectedMatches);
        assertThat(index.unmatched().boxed().toList())
                .isEqualTo(expected.values().stream()
                        .flatMap(Collection::stream)
                        .sorted()
                        .toList());
    }
}
