/** Prometheus probes: checks whose results are returned as metrics. */
@NullMarked
package dev.plumbline.http.api.probe;

import org.jspecify.annotations.NullMarked;
