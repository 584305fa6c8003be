package dev.plumbline.portfolio;

import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Minimum, quantiles and maximum of numbers, with bounded memory. Quantiles are exact until more than
 * {@link #MAX_VALUES} different numbers were added; from then on, they differ by at most 1%, as in a DDSketch. Not
 * thread-safe.
 */
final class NumberDistribution {
    static final int MAX_VALUES = 4_096;

    /** The memory of a number, in bytes. */
    private static final int NUMBER_BYTES = 96;

    private static final double ACCURACY = 0.01;
    private static final double GAMMA = (1 + ACCURACY) / (1 - ACCURACY);
    private static final double LOG_GAMMA = Math.log(GAMMA);

    private TreeMap<Double, Long> counts = new TreeMap<>();
    private boolean exact = true;
    private long total;
    private double min = Double.POSITIVE_INFINITY;
    private double max = Double.NEGATIVE_INFINITY;

    void add(double value) {
        total++;
        min = Math.min(min, value);
        max = Math.max(max, value);
        counts.merge(exact ? value : representative(value), 1L, Long::sum);
        if (exact && counts.size() > MAX_VALUES) {
            exact = false;
            TreeMap<Double, Long> rounded = new TreeMap<>();
            counts.forEach((number, count) -> rounded.merge(representative(number), count, Long::sum));
            counts = rounded;
        }
    }

    /** The value that represents all numbers that differ from it by at most {@link #ACCURACY}. */
    private static double representative(double value) {
        double size = Math.abs(value);
        if (size == 0 || !Double.isFinite(size)) {
            return value;
        }
        double bucket = Math.ceil(Math.log(size) / LOG_GAMMA);
        return Math.copySign(2 * Math.exp(bucket * LOG_GAMMA) / (GAMMA + 1), value);
    }

    /** The memory of the numbers in bytes, approximately. */
    long bytes() {
        return (long) NUMBER_BYTES * counts.size();
    }

    /** Whether the quantiles are exact. */
    boolean isExact() {
        return exact;
    }

    /** The number of different numbers, or a lower bound. */
    int distinct() {
        return exact ? counts.size() : MAX_VALUES + 1;
    }

    @Nullable
    Double min() {
        return total == 0 ? null : min;
    }

    @Nullable
    Double max() {
        return total == 0 ? null : max;
    }

    /** The number in the middle, or the mean of the two in the middle. */
    @Nullable
    Double median() {
        return total == 0 ? null : (at((total - 1) / 2) + at(total / 2)) / 2;
    }

    /** The smallest number of which at least 90% of the numbers are not greater. */
    @Nullable
    Double p90() {
        return total == 0 ? null : at((9 * total + 9) / 10 - 1);
    }

    /** The number at a position in ascending order, from 0. */
    private double at(long position) {
        long passed = 0;
        for (Map.Entry<Double, Long> count : counts.entrySet()) {
            passed += count.getValue();
            if (passed > position) {
                return Math.max(min, Math.min(max, count.getKey()));
            }
        }
        throw new IllegalStateException("position " + position + " of " + total);
    }
}
