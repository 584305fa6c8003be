package dev.plumbline.http.web.job;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A chart of the results of a job. The template renders it as SVG. SVG works without scripts and inline styles, and is
 * accessible to screen readers.
 */
public sealed interface Chart {

    String title();

    /** The number of lines per value. */
    record BarChart(String title, List<Bar> bars) implements Chart {}

    /**
     * @param tone the verdict whose color is used; empty for the default
     * @param percent of the longest bar
     * @param href the path of the matching lines, or null
     */
    record Bar(String label, int count, String tone, double percent, @Nullable String href) {}

    /**
     * The distribution of a value in intervals of equal width.
     *
     * @param axis the minimum, the middle and the maximum
     * @param summary one sentence
     */
    record Histogram(String title, List<Column> columns, List<String> axis, String summary) implements Chart {}

    /**
     * @param label the interval and its count
     * @param x percent from the left
     * @param width in percent
     * @param height percent of the highest column
     */
    record Column(String label, String tone, double x, double width, double height) {}
}
