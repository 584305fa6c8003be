/** Requests for jobs over the event bus: creation, reading and long polling. */
@NullMarked
package dev.plumbline.job.api;

import org.jspecify.annotations.NullMarked;
