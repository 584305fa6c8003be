/** Event bus addresses, messages and their codec. */
@NullMarked
package dev.plumbline.bus;

import org.jspecify.annotations.NullMarked;
