/** Operations that describe the tools and the API. */
@NullMarked
package dev.plumbline.http.api.tool;

import org.jspecify.annotations.NullMarked;
