/** Settings: what there is, where they come from, and what is wrong with them. */
@NullMarked
package dev.plumbline.config;

import org.jspecify.annotations.NullMarked;
