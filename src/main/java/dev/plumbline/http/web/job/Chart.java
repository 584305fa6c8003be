package dev.plumbline.http.web.job;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** A picture of many results, drawn by a template as SVG: no script has a part in it. */
public sealed interface Chart {

    String title();

    /**
     * How often there is what, as bars.
     *
     * @param bars in order
     */
    record Shares(String title, List<Share> bars) implements Chart {}

    /**
     * One of them.
     *
     * @param tone a verdict, whose colour it has; empty for the usual one
     * @param percent of the longest
     * @param href where the lines are shown; null if nowhere
     */
    record Share(String label, int count, String tone, double percent, @Nullable String href) {}

    /**
     * How values are spread, as columns beside each other.
     *
     * @param columns from the smallest values to the largest, each as wide as the others
     * @param axis what stands below: the smallest, the one midway and the largest value
     * @param sums the whole in one sentence
     */
    record Spread(String title, List<Column> columns, List<String> axis, String sums) implements Chart {}

    /**
     * One of them.
     *
     * @param label from what to what, and how many
     * @param x from the left, in percent
     * @param width in percent
     * @param height of the highest, in percent
     */
    record Column(String label, String tone, double x, double width, double height) {}
}
