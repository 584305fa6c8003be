/** Request bodies: size and time limits, JSON, forms and validation. */
@NullMarked
package dev.plumbline.http.body;

import org.jspecify.annotations.NullMarked;
