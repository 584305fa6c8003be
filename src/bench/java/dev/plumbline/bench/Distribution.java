package dev.plumbline.bench;

import java.util.List;
import java.util.Locale;

/** Median, minimum and maximum of measurements. */
record Distribution(double median, double min, double max) {

    /** All values are NaN if the list is empty. */
    static Distribution of(List<Double> measured) {
        List<Double> sorted = measured.stream().sorted().toList();
        int size = sorted.size();
        if (size == 0) {
            return new Distribution(Double.NaN, Double.NaN, Double.NaN);
        }
        double median = (sorted.get((size - 1) / 2) + sorted.get(size / 2)) / 2;
        return new Distribution(median, sorted.get(0), sorted.get(size - 1));
    }

    /** For example {@code 0.95 (0.91–0.99)}: median (minimum–maximum). */
    String text(int decimals) {
        String one = "%,." + decimals + "f";
        return String.format(Locale.ROOT, one + " (" + one + "–" + one + ")", median, min, max);
    }
}
