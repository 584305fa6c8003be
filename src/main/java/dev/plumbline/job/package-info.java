/** Jobs: taken in, claimed, done, told; and nothing of them lost when a node dies. */
@NullMarked
package dev.plumbline.job;

import org.jspecify.annotations.NullMarked;
