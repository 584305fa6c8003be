/** Runs checks: deadline, places, and the whole result. */
@NullMarked
package dev.plumbline.run;

import org.jspecify.annotations.NullMarked;
