/** The module {@code http-caching}. */
@NullMarked
package dev.plumbline.module.web.caching;

import org.jspecify.annotations.NullMarked;
