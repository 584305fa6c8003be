/** Plain TCP connections to targets. */
@NullMarked
package dev.plumbline.probe.tcp;

import org.jspecify.annotations.NullMarked;
