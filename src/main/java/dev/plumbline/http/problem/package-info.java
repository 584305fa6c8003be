/** Problem documents (RFC 9457). */
@NullMarked
package dev.plumbline.http.problem;

import org.jspecify.annotations.NullMarked;
