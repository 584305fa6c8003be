/** The module {@code mta-sts}, and the policies that {@code mx} and {@code smtp} use. */
@NullMarked
package dev.plumbline.module.mail.mtasts;

import org.jspecify.annotations.NullMarked;
