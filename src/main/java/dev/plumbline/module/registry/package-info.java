/** Modules about who has registered what. */
@NullMarked
package dev.plumbline.module.registry;

import org.jspecify.annotations.NullMarked;
