/** Records and enums that several packages share. */
@NullMarked
package dev.plumbline.model;

import org.jspecify.annotations.NullMarked;
