/** Instant checks: what is known is told, what is not is found out once for all who ask. */
@NullMarked
package dev.plumbline.instant;

import org.jspecify.annotations.NullMarked;
