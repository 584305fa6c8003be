package dev.plumbline.bench;

import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.util.Locale;

/**
 * A line of the table.
 *
 * @param what title of the row
 * @param figure ratio, or value with its unit
 * @param ours Plumbline; empty if the row has no pair
 * @param theirs reference program
 * @param goal goal and whether it is met; empty: no goal
 * @param note errors and notes
 */
record BulkLine(String what, String figure, String ours, String theirs, String goal, String note) {

    static BulkLine skipped(String what, String why) {
        return new BulkLine(what, "skipped: " + why, "", "", "", "");
    }

    /** The goal of a ratio or rate: a minimum. */
    static String atLeast(double goal, double reached) {
        // 1.0 or 0.95
        String digits = new DecimalFormat("0.0#", DecimalFormatSymbols.getInstance(Locale.ROOT)).format(goal);
        return "≥ " + digits + " " + met(reached >= goal);
    }

    /** The goal of a time or size: a maximum. */
    static String atMost(double goal, String unit, double reached) {
        return String.format(Locale.ROOT, "≤ %,.0f %s %s", goal, unit, met(reached <= goal));
    }

    /** The goal of a ratio: a maximum. */
    static String atMost(double goal, double reached) {
        return String.format(Locale.ROOT, "≤ %.1f %s", goal, met(reached <= goal));
    }

    private static String met(boolean reached) {
        return reached ? "met" : "missed";
    }
}
