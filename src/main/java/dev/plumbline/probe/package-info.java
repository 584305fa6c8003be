/**
 * The only way out: everything that opens a socket to a target, or asks a resolver about one, is
 * here and goes through {@link dev.plumbline.probe.EgressGuard}.
 */
@NullMarked
package dev.plumbline.probe;

import org.jspecify.annotations.NullMarked;
