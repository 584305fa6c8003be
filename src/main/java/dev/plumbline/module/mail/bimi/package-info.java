/** The module {@code bimi}. */
@NullMarked
package dev.plumbline.module.mail.bimi;

import org.jspecify.annotations.NullMarked;
