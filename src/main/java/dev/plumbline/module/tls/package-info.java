/** Checks of TLS and certificates. */
@NullMarked
package dev.plumbline.module.tls;

import org.jspecify.annotations.NullMarked;
