/** Routes of addresses: their origin AS, and their validity by the RPKI. */
@NullMarked
package dev.plumbline.probe.routing;

import org.jspecify.annotations.NullMarked;
