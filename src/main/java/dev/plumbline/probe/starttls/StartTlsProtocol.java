package dev.plumbline.probe.starttls;

import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** An application protocol that upgrades a plaintext connection to TLS. */
public enum StartTlsProtocol {
    /** RFC 3207. */
    SMTP("STARTTLS"),
    /** RFC 9051 section 6.2.1. */
    IMAP("STARTTLS"),
    /** RFC 2595 section 4. */
    POP3("STLS"),
    /** RFC 4217 section 4. */
    FTP("AUTH TLS"),
    /** RFC 6120 section 5, client-to-server streams. */
    XMPP("STARTTLS"),
    /** RFC 4511 section 4.14. */
    LDAP("StartTLS"),
    /** PostgreSQL frontend/backend protocol, section "SSL Session Encryption". */
    POSTGRESQL("SSLRequest"),
    /** MySQL client/server protocol, connection phase; also MariaDB. */
    MYSQL("SSLRequest");

    private static final Map<Integer, StartTlsProtocol> PORTS = Map.of(
            25,
            SMTP,
            587,
            SMTP,
            2525,
            SMTP,
            143,
            IMAP,
            110,
            POP3,
            21,
            FTP,
            5222,
            XMPP,
            389,
            LDAP,
            5432,
            POSTGRESQL,
            3306,
            MYSQL);

    private final String command;

    StartTlsProtocol(String command) {
        this.command = command;
    }

    public static StartTlsProtocol of(String option) {
        return valueOf(option.toUpperCase(Locale.ROOT));
    }

    /** The protocol that usually uses a port; null for other ports. */
    public static @Nullable StartTlsProtocol ofPort(int port) {
        return PORTS.get(port);
    }

    /** The protocol of a greeting that is not SMTP or FTP, which share the form of their greetings; null if unknown. */
    public static @Nullable StartTlsProtocol ofGreeting(String line) {
        if (line.startsWith("* ")) {
            return IMAP;
        }
        return line.startsWith("+OK") ? POP3 : line.startsWith("<") ? XMPP : null;
    }

    public String option() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The name of the protocol in texts. */
    public String title() {
        return switch (this) {
            case POSTGRESQL -> "PostgreSQL";
            case MYSQL -> "MySQL";
            default -> name();
        };
    }

    public String command() {
        return command;
    }

    /** @param host the name of the service, for XMPP */
    StartTlsDialog newDialog(String host) {
        return switch (this) {
            case SMTP -> new SmtpDialog();
            case IMAP -> new ImapDialog();
            case POP3 -> new Pop3Dialog();
            case FTP -> new FtpDialog();
            case XMPP -> new XmppDialog(host);
            case LDAP -> new LdapDialog();
            case POSTGRESQL -> new PostgresqlDialog();
            case MYSQL -> new MysqlDialog();
        };
    }
}
