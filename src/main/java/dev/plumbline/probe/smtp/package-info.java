/** SMTP dialogs with targets. */
@NullMarked
package dev.plumbline.probe.smtp;

import org.jspecify.annotations.NullMarked;
