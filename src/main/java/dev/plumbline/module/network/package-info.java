/** Checks of network ports. */
@NullMarked
package dev.plumbline.module.network;

import org.jspecify.annotations.NullMarked;
