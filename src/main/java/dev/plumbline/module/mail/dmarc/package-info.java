/** The module {@code dmarc}, and the DMARC records that {@code bimi} uses. */
@NullMarked
package dev.plumbline.module.mail.dmarc;

import org.jspecify.annotations.NullMarked;
