/** STARTTLS dialogs of SMTP, IMAP, POP3, FTP and XMPP before a TLS handshake. */
@NullMarked
package dev.plumbline.probe.starttls;

import org.jspecify.annotations.NullMarked;
