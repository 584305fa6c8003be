/** Results by key: memory cache, table and lookup. */
@NullMarked
package dev.plumbline.result.store;

import org.jspecify.annotations.NullMarked;
