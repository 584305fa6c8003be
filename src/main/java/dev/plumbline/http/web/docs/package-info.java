/** The pages of the API reference and their search. */
@NullMarked
package dev.plumbline.http.web.docs;

import org.jspecify.annotations.NullMarked;
