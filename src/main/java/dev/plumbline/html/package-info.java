/** Parsing of HTML pages. It does no I/O. */
@NullMarked
package dev.plumbline.html;

import org.jspecify.annotations.NullMarked;
