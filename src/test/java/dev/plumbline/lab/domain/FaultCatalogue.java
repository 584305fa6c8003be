package dev.plumbline.lab.domain;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Single faults of a domain, and pairs of faults that can be observed at the same time. */
public final class FaultCatalogue {
    /** The distances of the faults of a pair in the list, so that pairs have faults of different areas. */
    private static final List<Integer> DISTANCES = List.of(29, 53);

    private static final List<Fault> FAULTS = Stream.of(SiteFaults.all(), ZoneFaults.all(), MailFaults.all())
            .flatMap(List::stream)
            .toList();

    /** Two compatible faults. */
    public record Pair(Fault first, Fault second) {
        @Override
        public String toString() {
            return first + " + " + second;
        }
    }

    private FaultCatalogue() {}

    public static List<Fault> faults() {
        return FAULTS;
    }

    /** @param name a name of the list */
    public static Fault fault(String name) {
        return FAULTS.stream()
                .filter(fault -> fault.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(name));
    }

    /** Up to two pairs for each fault. */
    @SuppressWarnings("ArgumentSelectionDefectChecker") // the reverse of the pair
    public static List<Pair> pairs() {
        List<Pair> pairs = new ArrayList<>();
        for (int distance : DISTANCES) {
            for (int i = 0; i < FAULTS.size(); i++) {
                Pair pair = pair(i, distance);
                if (pair != null && !pairs.contains(pair) && !pairs.contains(new Pair(pair.second, pair.first))) {
                    pairs.add(pair);
                }
            }
        }
        return pairs;
    }

    /** A fault and the first compatible one from this distance on; null if there is none. */
    private static @Nullable Pair pair(int index, int distance) {
        Fault first = FAULTS.get(index);
        for (int step = 0; step < FAULTS.size(); step++) {
            Fault second = FAULTS.get((index + distance + step) % FAULTS.size());
            if (first.isCompatible(second)) {
                return new Pair(first, second);
            }
        }
        return null;
    }
}
