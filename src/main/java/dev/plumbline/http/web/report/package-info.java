/** Report pages. */
@NullMarked
package dev.plumbline.http.web.report;

import org.jspecify.annotations.NullMarked;
