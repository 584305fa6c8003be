/** Page layout, assets, security headers and values shared by all pages. */
@NullMarked
package dev.plumbline.http.web.layout;

import org.jspecify.annotations.NullMarked;
