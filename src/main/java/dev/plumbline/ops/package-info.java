/** Health checks, metrics and log configuration. */
@NullMarked
package dev.plumbline.ops;

import org.jspecify.annotations.NullMarked;
