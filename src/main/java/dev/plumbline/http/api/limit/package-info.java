/** The operation that returns the limits of a client. */
@NullMarked
package dev.plumbline.http.api.limit;

import org.jspecify.annotations.NullMarked;
