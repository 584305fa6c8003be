/** Instant checks: single-flight execution, quota and result storage. */
@NullMarked
package dev.plumbline.instant;

import org.jspecify.annotations.NullMarked;
