/** Checks of how a domain sends and receives mail. */
@NullMarked
package dev.plumbline.module.mail;

import org.jspecify.annotations.NullMarked;
