/**
 * Selection, summary and comparison of many results: of the lines of a job, or of NDJSON files. Pure, and independent
 * of the number of lines.
 */
@NullMarked
package dev.plumbline.portfolio;

import org.jspecify.annotations.NullMarked;
