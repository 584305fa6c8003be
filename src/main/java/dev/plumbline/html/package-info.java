/** Parsing of HTML pages and reading of XML. It does no I/O. */
@NullMarked
package dev.plumbline.html;

import org.jspecify.annotations.NullMarked;
