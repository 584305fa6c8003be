/** TLS handshakes and ClientHello scans of targets. */
@NullMarked
package dev.plumbline.probe.tls;

import org.jspecify.annotations.NullMarked;
