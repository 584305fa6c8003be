/** Checks of the network. */
@NullMarked
package dev.plumbline.module.network;

import org.jspecify.annotations.NullMarked;
