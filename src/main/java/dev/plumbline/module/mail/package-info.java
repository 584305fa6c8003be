/** Checks of mail configuration. */
@NullMarked
package dev.plumbline.module.mail;

import org.jspecify.annotations.NullMarked;
