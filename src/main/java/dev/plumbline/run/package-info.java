/** The check runner: concurrency limit, deadline, and the probes of a check. */
@NullMarked
package dev.plumbline.run;

import org.jspecify.annotations.NullMarked;
