/** Modules about TLS and the certificates that secure it. */
@NullMarked
package dev.plumbline.module.tls;

import org.jspecify.annotations.NullMarked;
