/** Measures the service beside others on the same machine and prints ratios. */
@NullMarked
package dev.plumbline.bench;

import org.jspecify.annotations.NullMarked;
