/** The HTTP side: server, problems, client addresses; operations are in {@code api}. */
@NullMarked
package dev.plumbline.http;

import org.jspecify.annotations.NullMarked;
