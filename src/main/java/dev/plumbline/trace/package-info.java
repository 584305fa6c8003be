/** Traces: spans, their sampling and their context. Without Vert.x and without a library for traces. */
@NullMarked
package dev.plumbline.trace;

import org.jspecify.annotations.NullMarked;
