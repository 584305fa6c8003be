package dev.plumbline.bench;

import java.util.List;
import java.util.Locale;

/** The median of some measurements, with the least and the greatest. */
record Distribution(double median, double min, double max) {

    /** NaN throughout where nothing was measured. */
    static Distribution of(List<Double> measured) {
        List<Double> sorted = measured.stream().sorted().toList();
        int size = sorted.size();
        if (size == 0) {
            return new Distribution(Double.NaN, Double.NaN, Double.NaN);
        }
        double median = (sorted.get((size - 1) / 2) + sorted.get(size / 2)) / 2;
        return new Distribution(median, sorted.get(0), sorted.get(size - 1));
    }

    /** As {@code 0.95 (0.91–0.99)}. */
    String text(int decimals) {
        String one = "%,." + decimals + "f";
        return String.format(Locale.ROOT, one + " (" + one + "–" + one + ")", median, min, max);
    }
}
