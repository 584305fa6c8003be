/** The program: its commands, and what the service consists of. */
@NullMarked
package dev.plumbline;

import org.jspecify.annotations.NullMarked;
