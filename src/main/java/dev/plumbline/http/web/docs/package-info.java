/** The API reference page. */
@NullMarked
package dev.plumbline.http.web.docs;

import org.jspecify.annotations.NullMarked;
