/** Rendered results of checks: key, memory cache, store and lookup. */
@NullMarked
package dev.plumbline.result;

import org.jspecify.annotations.NullMarked;
