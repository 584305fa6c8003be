/** Jobs, chunks, lines and usage in PostgreSQL. */
@NullMarked
package dev.plumbline.job.store;

import org.jspecify.annotations.NullMarked;
