/** Export of spans with the OpenTelemetry Protocol (OTLP). */
@NullMarked
package dev.plumbline.trace.export;

import org.jspecify.annotations.NullMarked;
