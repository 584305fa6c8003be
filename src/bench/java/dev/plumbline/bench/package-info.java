/** Compares the service with reference programs on the same machine and prints ratios. */
@NullMarked
package dev.plumbline.bench;

import org.jspecify.annotations.NullMarked;
