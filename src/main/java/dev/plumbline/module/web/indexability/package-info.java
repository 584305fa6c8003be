/** The module {@code indexability}. */
@NullMarked
package dev.plumbline.module.web.indexability;

import org.jspecify.annotations.NullMarked;
