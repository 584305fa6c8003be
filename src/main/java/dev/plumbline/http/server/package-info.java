/** The HTTP server: verticle, connection limits, request validation and shutdown. */
@NullMarked
package dev.plumbline.http.server;

import org.jspecify.annotations.NullMarked;
