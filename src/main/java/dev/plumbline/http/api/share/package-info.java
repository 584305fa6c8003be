/** Operations of shared results. */
@NullMarked
package dev.plumbline.http.api.share;

import org.jspecify.annotations.NullMarked;
