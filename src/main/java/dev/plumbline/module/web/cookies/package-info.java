/** The module {@code cookies}. */
@NullMarked
package dev.plumbline.module.web.cookies;

import org.jspecify.annotations.NullMarked;
