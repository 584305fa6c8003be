/** References of a target to other names, and whether these names exist. */
@NullMarked
package dev.plumbline.module.reference;

import org.jspecify.annotations.NullMarked;
