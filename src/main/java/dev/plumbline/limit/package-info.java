/** Quotas as sliding windows. */
@NullMarked
package dev.plumbline.limit;

import org.jspecify.annotations.NullMarked;
