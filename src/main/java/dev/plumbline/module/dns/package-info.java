/** Checks of DNS records. */
@NullMarked
package dev.plumbline.module.dns;

import org.jspecify.annotations.NullMarked;
