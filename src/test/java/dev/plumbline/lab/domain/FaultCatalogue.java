package dev.plumbline.lab.domain;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Single faults of a domain, and pairs of faults that can be observed at the same time. */
public final class FaultCatalogue {
    /** The distance of the faults of a pair in the list, so that pairs have faults of different areas. */
    private static final int DISTANCE = 29;

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

    /** A pair for each fault that has a compatible one. */
    public static List<Pair> pairs() {
        List<Pair> pairs = new ArrayList<>();
        for (int i = 0; i < FAULTS.size(); i++) {
            Fault first = FAULTS.get(i);
            for (int step = 0; step < FAULTS.size(); step++) {
                Fault second = FAULTS.get((i + DISTANCE + step) % FAULTS.size());
                if (first.isCompatible(second) && !pairs.contains(new Pair(second, first))) {
                    pairs.add(new Pair(first, second));
                    break;
                }
            }
        }
        return pairs;
    }
}
