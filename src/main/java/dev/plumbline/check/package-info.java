/**
 * What a check is: its description, its target, its options, its result. Knows no network and no
 * database; of Vert.x only {@code Future}.
 */
@NullMarked
package dev.plumbline.check;

import org.jspecify.annotations.NullMarked;
