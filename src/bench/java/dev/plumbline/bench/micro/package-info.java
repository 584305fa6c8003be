/** The pure parts alone, measured by JMH. */
@NullMarked
package dev.plumbline.bench.micro;

import org.jspecify.annotations.NullMarked;
