/** Instant checks: quota, execution and cache. */
@NullMarked
package dev.plumbline.instant;

import org.jspecify.annotations.NullMarked;
