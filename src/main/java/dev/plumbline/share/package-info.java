/** Shared results in PostgreSQL. */
@NullMarked
package dev.plumbline.share;

import org.jspecify.annotations.NullMarked;
