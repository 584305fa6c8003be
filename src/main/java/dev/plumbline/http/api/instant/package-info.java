/** Operations of instant checks. */
@NullMarked
package dev.plumbline.http.api.instant;

import org.jspecify.annotations.NullMarked;
