/** The settings: their types, their sources and their validation. */
@NullMarked
package dev.plumbline.config;

import org.jspecify.annotations.NullMarked;
