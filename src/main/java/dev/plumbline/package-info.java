/** The program entry point. */
@NullMarked
package dev.plumbline;

import org.jspecify.annotations.NullMarked;
