/** Settings, their sources and validation. */
@NullMarked
package dev.plumbline.config;

import org.jspecify.annotations.NullMarked;
