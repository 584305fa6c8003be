/** DNS queries for checks. */
@NullMarked
package dev.plumbline.probe.dns;

import org.jspecify.annotations.NullMarked;
