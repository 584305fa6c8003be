/** The event bus of the service: who can be asked what, and the messages. */
@NullMarked
package dev.plumbline.bus;

import org.jspecify.annotations.NullMarked;
