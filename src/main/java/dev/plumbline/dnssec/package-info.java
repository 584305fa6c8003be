/** Validation of DNS responses with DNSSEC (RFC 4033, RFC 4034, RFC 4035, RFC 5155). Does no I/O. */
@NullMarked
package dev.plumbline.dnssec;

import org.jspecify.annotations.NullMarked;
