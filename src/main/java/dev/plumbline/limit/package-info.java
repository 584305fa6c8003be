/** How much each caller may have. */
@NullMarked
package dev.plumbline.limit;

import org.jspecify.annotations.NullMarked;
