/** STARTTLS dialogs of mail, FTP, XMPP, LDAP and database servers before a TLS handshake. */
@NullMarked
package dev.plumbline.probe.starttls;

import org.jspecify.annotations.NullMarked;
