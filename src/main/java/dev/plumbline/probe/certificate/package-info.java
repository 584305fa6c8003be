/** Evidence about certificate chains, with OCSP and CRL lookups. */
@NullMarked
package dev.plumbline.probe.certificate;

import org.jspecify.annotations.NullMarked;
