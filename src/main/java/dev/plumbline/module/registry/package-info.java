/** Checks of domain registration. */
@NullMarked
package dev.plumbline.module.registry;

import org.jspecify.annotations.NullMarked;
