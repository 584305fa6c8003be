/** Checks of the DNS. */
@NullMarked
package dev.plumbline.module.dns;

import org.jspecify.annotations.NullMarked;
