/** The home page, tool search and check forms. */
@NullMarked
package dev.plumbline.http.web.tool;

import org.jspecify.annotations.NullMarked;
