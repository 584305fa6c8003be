/** The module {@code spf}. */
@NullMarked
package dev.plumbline.module.mail.spf;

import org.jspecify.annotations.NullMarked;
