/** Semaphore, single-flight, batcher, scheduler and context-bound futures. */
@NullMarked
package dev.plumbline.concurrent;

import org.jspecify.annotations.NullMarked;
