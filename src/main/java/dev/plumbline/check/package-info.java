/** Modules, their context, and composites. From Vert.x it uses only {@code Future}. */
@NullMarked
package dev.plumbline.check;

import org.jspecify.annotations.NullMarked;
