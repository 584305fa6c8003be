/** Records and hosts of mail domains that several modules use. */
@NullMarked
package dev.plumbline.module.mail.record;

import org.jspecify.annotations.NullMarked;
