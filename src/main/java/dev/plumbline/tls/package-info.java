/** Certificates: parsing, path building, revocation and names. It does no I/O. */
@NullMarked
package dev.plumbline.tls;

import org.jspecify.annotations.NullMarked;
