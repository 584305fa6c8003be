/** Deployment of the verticles in order, dependency wiring, start and shutdown. */
@NullMarked
package dev.plumbline.app;

import org.jspecify.annotations.NullMarked;
