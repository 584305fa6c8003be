/** For those who run the service: health, metrics, logs. */
@NullMarked
package dev.plumbline.ops;

import org.jspecify.annotations.NullMarked;
