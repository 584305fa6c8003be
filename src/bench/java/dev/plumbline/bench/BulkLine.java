package dev.plumbline.bench;

import java.util.Locale;

/**
 * One line of the table.
 *
 * @param what what was measured
 * @param figure the ratio, or our own figure with its unit
 * @param ours our side of a pair, empty where there is no pair
 * @param theirs the other side
 * @param goal what was to be reached, empty where nothing was
 * @param note errors and everything else that a reader must know
 */
record BulkLine(String what, String figure, String ours, String theirs, String goal, String note) {

    static BulkLine skipped(String what, String why) {
        return new BulkLine(what, "skipped: " + why, "", "", "", "");
    }

    /** A ratio or rate that should be large. */
    static String atLeast(double goal, double reached) {
        return String.format(Locale.ROOT, "≥ %.1f %s", goal, met(reached >= goal));
    }

    /** A time or size that should be small. */
    static String atMost(double goal, String unit, double reached) {
        return String.format(Locale.ROOT, "≤ %,.0f %s %s", goal, unit, met(reached <= goal));
    }

    /** The same where a fraction counts. */
    static String atMost(double goal, double reached) {
        return String.format(Locale.ROOT, "≤ %.1f %s", goal, met(reached <= goal));
    }

    private static String met(boolean reached) {
        return reached ? "met" : "MISSED";
    }
}
