/** Problem documents (RFC 9457), and futures that fail with them. */
@NullMarked
package dev.plumbline.http.problem;

import org.jspecify.annotations.NullMarked;
