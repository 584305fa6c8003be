/** Lists of targets: recognition of CSV, selection of a column, and counts before a job is created. */
@NullMarked
package dev.plumbline.input;

import org.jspecify.annotations.NullMarked;
