/** The API contract, its operations, and request properties that all parts of the HTTP server share. */
@NullMarked
package dev.plumbline.http;

import org.jspecify.annotations.NullMarked;
