/** JMH benchmarks of code without I/O. */
@NullMarked
package dev.plumbline.bench.micro;

import org.jspecify.annotations.NullMarked;
