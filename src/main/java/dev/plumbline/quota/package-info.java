/** Quotas as sliding windows. */
@NullMarked
package dev.plumbline.quota;

import org.jspecify.annotations.NullMarked;
