package dev.plumbline.lab;

import dev.plumbline.support.Await;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetSocket;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Mail, FTP, chat, directory and database servers on 127.0.0.1 with and without STARTTLS, and hostile ones. */
public final class StartTlsLab {
    /** The hostname of all certificates. */
    public static final String HOST = "mail.lab.test";

    private static final String TLS = TlsServers.START_TLS;

    private static final String LDAP_OID = "1.3.6.1.4.1.1466.20037";
    private static final String POSTGRESQL_REQUEST = "\0\0\0\u0008\u0004\u00d2\u0016/";

    /** The header of a packet of 32 bytes with sequence number 1. */
    private static final String MYSQL_REQUEST = " \0\0\u0001";

    private static final String XMPP_STREAM =
            "<?xml version='1.0'?><stream:stream xmlns='jabber:client' id='1' version='1.0' from='" + HOST
                    + "' xmlns:stream='http://etherx.jabber.org/streams'>";
    private static final String XMPP_TLS = "<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'><required/></starttls>";

    /**
     * A server.
     *
     * @param protocol the option of the check
     * @param expectation as in {@link LabTarget}
     */
    public record Server(String name, int port, String protocol, String expectation) {}

    private final Vertx vertx;
    private final TlsLab lab;
    private final TestCa.Identity identity;
    private final Map<String, Server> servers = new LinkedHashMap<>();

    /**
     * Starts all servers. They end with the event loops and the TLS lab.
     *
     * @param lab issues the certificate
     */
    public StartTlsLab(Vertx vertx, TlsLab lab) {
        this.vertx = vertx;
        this.lab = lab;
        this.identity = lab.issuer().issue(CertificateSpec.server(HOST));
        addGood();
        addWithoutTls();
        addHostile();
        addBinary();
        addHostileBinary();
    }

    public Server server(String name) {
        return servers.get(name);
    }

    public List<Server> servers() {
        return List.copyOf(servers.values());
    }

    /** The targets with their expected results. */
    public List<LabTarget> targets() {
        return servers.values().stream()
                .map(server -> new LabTarget(
                        "starttls-certificate",
                        HOST + ":" + server.port() + "?protocol=" + server.protocol(),
                        server.expectation()))
                .toList();
    }

    private void addGood() {
        String ready = "220 2.0.0 Ready to start TLS\r\n" + TLS;
        String ehlo = "250-mail.lab.test\r\n250-SIZE 1000\r\n250 STARTTLS\r\n";
        scripted("smtp", "smtp", "problem=none", "220 mail.lab.test ESMTP\r\n", "EHLO", ehlo, "STARTTLS", ready);
        scripted(
                "smtp-multiline",
                "smtp",
                "problem=none",
                "220-mail.lab.test\r\n220-No spam\r\n220 ESMTP\r\n",
                "EHLO",
                "250-mail.lab.test\r\n250-starttls\r\n250 HELP\r\n",
                "STARTTLS",
                "220-Ready\r\n220 to start\r\n" + TLS);
        scripted(
                "imap",
                "imap",
                "problem=none",
                "* OK [CAPABILITY IMAP4rev1 STARTTLS] ready\r\n",
                "CAPABILITY",
                "* CAPABILITY IMAP4rev1 STARTTLS LOGINDISABLED\r\na1 OK done\r\n",
                "STARTTLS",
                "a2 OK Begin TLS\r\n" + TLS);
        scripted(
                "pop3",
                "pop3",
                "problem=none",
                "+OK ready\r\n",
                "CAPA",
                "+OK\r\nTOP\r\nSTLS\r\n.\r\n",
                "STLS",
                "+OK Begin TLS\r\n" + TLS);
        scripted("pop3-without-capa", "pop3", "problem=none", "+OK\r\n", "CAPA", "-ERR\r\n", "STLS", "+OK\r\n" + TLS);
        scripted("ftp", "ftp", "problem=none", "220-Welcome\r\n to\r\n220 FTP\r\n", "AUTH TLS", "234 OK\r\n" + TLS);
        scripted(
                "xmpp",
                "xmpp",
                "problem=none",
                "",
                "<stream:stream",
                XMPP_STREAM + "<stream:features>" + XMPP_TLS + "</stream:features>",
                "<starttls",
                "<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>" + TLS);
    }

    private void addWithoutTls() {
        String failed = "error=tls_handshake_failed";
        scripted("smtp-plain", "smtp", failed, "220 mail\r\n", "EHLO", "250-mail\r\n250-XSTARTTLS\r\n250 SIZE\r\n");
        scripted(
                "imap-plain",
                "imap",
                failed,
                "* OK ready\r\n",
                "CAPABILITY",
                "* CAPABILITY IMAP4rev1 LOGINDISABLED\r\na1 OK done\r\n");
        scripted("pop3-plain", "pop3", failed, "+OK\r\n", "CAPA", "+OK\r\nUSER\r\n.\r\n");
        scripted("ftp-plain", "ftp", failed, "220 FTP\r\n", "AUTH TLS", "502 Command not implemented.\r\n");
        scripted(
                "xmpp-plain",
                "xmpp",
                failed,
                "",
                "<stream:stream",
                XMPP_STREAM + "<stream:features><mechanisms><mechanism>PLAIN</mechanism></mechanisms>"
                        + "</stream:features>");
        scripted(
                "smtp-refused",
                "smtp",
                failed,
                "220 mail\r\n",
                "EHLO",
                "250-mail\r\n250 STARTTLS\r\n",
                "STARTTLS",
                "454 4.7.0 TLS not available due to temporary reason\r\n");
        scripted("smtp-rejected", "smtp", failed, "554 5.7.1 No SMTP service here\r\n");
        scripted("imap-preauth", "imap", failed, "* PREAUTH ready\r\n");
        scripted(
                "xmpp-unknown-host",
                "xmpp",
                failed,
                "",
                "<stream:stream",
                XMPP_STREAM + "<stream:error><host-unknown xmlns='urn:ietf:params:xml:ns:xmpp-streams'/></stream:error>"
                        + "</stream:stream>");
    }

    private void addHostile() {
        String ehlo = "250-mail\r\n250 STARTTLS\r\n";
        scripted(
                "smtp-injection",
                "smtp",
                "verdict=fail",
                "220 mail\r\n",
                "EHLO",
                ehlo,
                "STARTTLS",
                "220 Ready\r\n250-mail\r\n250 AUTH PLAIN\r\n" + TLS);
        scripted(
                "imap-injection",
                "imap",
                "verdict=fail",
                "* OK\r\n",
                "CAPABILITY",
                "* CAPABILITY STARTTLS\r\na1 OK\r\n",
                "STARTTLS",
                "a2 OK\r\n* CAPABILITY AUTH=PLAIN\r\n" + TLS);
        scripted(
                "pop3-injection",
                "pop3",
                "verdict=fail",
                "+OK\r\n",
                "CAPA",
                "+OK\r\nSTLS\r\n.\r\n",
                "STLS",
                "+OK\r\n+OK injected\r\n" + TLS);
        scripted("ftp-injection", "ftp", "verdict=fail", "220 FTP\r\n", "AUTH TLS", "234 OK\r\n230 Injected\r\n" + TLS);
        scripted(
                "xmpp-injection",
                "xmpp",
                "verdict=fail",
                "",
                "<stream:stream",
                XMPP_STREAM + "<stream:features>" + XMPP_TLS + "</stream:features>",
                "<starttls",
                "<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/><stream:features/>" + TLS);
        scripted(
                "smtp-garbage",
                "smtp",
                "error=tls_handshake_failed",
                "220 mail\r\n",
                "EHLO",
                ehlo,
                "STARTTLS",
                "220 Ready\r\n",
                "\u0016\u0003",
                "250 not TLS\r\n");
        String tooLarge = "error=response_too_large";
        listen("endless-banner", "smtp", tooLarge, socket -> repeat(socket, "220-spam\r\n".repeat(200)));
        listen("endless-line", "imap", tooLarge, socket -> repeat(socket, "* OK ".repeat(400)));
        listen("endless-stream", "xmpp", tooLarge, socket -> repeat(socket, "stream ".repeat(300)));
        listen("silent-smtp", "smtp", "error=read_timeout", socket -> {});
        listen(
                "dripping-smtp",
                "smtp",
                "error=read_timeout",
                socket -> vertx.setPeriodic(
                        200, timer -> socket.write("2").onFailure(closed -> vertx.cancelTimer(timer))));
        listen("closing-smtp", "smtp", "error=tls_handshake_failed", NetSocket::close);
        scripted("imap-as-smtp", "smtp", "error=tls_handshake_failed", "* OK ready\r\n");
        scripted("http-as-xmpp", "xmpp", "error=tls_handshake_failed", "", "<", "HTTP/1.1 400 Bad\r\n\r\n<html>");
    }

    private void addBinary() {
        String none = "problem=none";
        String failed = "error=tls_handshake_failed";
        scripted("ldap", "ldap", none, "", LDAP_OID, ldap(1, 0, "") + TLS);
        scripted("ldap-plain", "ldap", failed, "", LDAP_OID, ldap(1, 2, "unsupported extended operation"));
        scripted("ldap-refused", "ldap", failed, "", LDAP_OID, ldap(1, 52, "TLS not available"));
        scripted("ldap-disconnect", "ldap", failed, "", LDAP_OID, ldap(0, 51, "too busy"));
        scripted("postgresql", "postgresql", none, "", POSTGRESQL_REQUEST, "S" + TLS);
        scripted("postgresql-plain", "postgresql", failed, "", POSTGRESQL_REQUEST, "N");
        String error = "SFATAL\0C53300\0Msorry, too many clients already\0\0";
        scripted(
                "postgresql-rejected",
                "postgresql",
                failed,
                "",
                POSTGRESQL_REQUEST,
                "E\0\0\0" + (char) (error.length() + 4) + error);
        scripted("mysql", "mysql", none, mysql(0xca00), MYSQL_REQUEST, TLS);
        scripted("mysql-plain", "mysql", failed, mysql(0xc200));
        String refusal = "\u00ff\u0010\u0004#08004Too many connections";
        scripted("mysql-rejected", "mysql", failed, (char) refusal.length() + "\0\0\0" + refusal);
    }

    private void addHostileBinary() {
        String failed = "error=tls_handshake_failed";
        String fail = "verdict=fail";
        scripted("ldap-injection", "ldap", fail, "", LDAP_OID, ldap(1, 0, "") + ldap(2, 0, "") + TLS);
        scripted("postgresql-injection", "postgresql", fail, "", POSTGRESQL_REQUEST, "SC\0\0\0\u0008" + TLS);
        scripted("mysql-injection", "mysql", fail, mysql(0xca00) + "injected", MYSQL_REQUEST, TLS);
        scripted("ldap-length", "ldap", failed, "", LDAP_OID, "0\u0084\u00ff\u00ff\u00ff\u00ff");
        scripted("ldap-indefinite", "ldap", failed, "", LDAP_OID, "0\u0080\u0002\u0001\u0001\0\0");
        scripted("postgresql-length", "postgresql", failed, "", POSTGRESQL_REQUEST, "E\u007f\u00ff\u00ff\u00ff");
        scripted("mysql-length", "mysql", failed, "\u00ff\u00ff\u00ff\0\n");
        scripted("mysql-short", "mysql", failed, "\u0003\0\0\0\n8\0");
        scripted("smtp-as-ldap", "ldap", failed, "220 mail\r\n");
        scripted("imap-as-mysql", "mysql", failed, "* OK ready\r\n");
        scripted("ssh-as-postgresql", "postgresql", failed, "SSH-2.0-OpenSSH_9.2\r\n");
        scripted("nntp-as-postgresql", "postgresql", failed, "NNTP ready\r\n");
        listen("endless-postgresql", "postgresql", failed, socket -> repeat(socket, "E".repeat(1_000)));
        listen("endless-mysql", "mysql", failed, socket -> repeat(socket, "\n".repeat(1_000)));
        listen("silent-ldap", "ldap", "error=read_timeout", socket -> socket.write("0\u0010"));
        listen("closing-mysql", "mysql", failed, NetSocket::close);
    }

    /** An ExtendedResponse of LDAP (RFC 4511 section 4.12). */
    private static String ldap(int id, int code, String text) {
        String response = "\n\u0001" + (char) code + "\u0004\0\u0004" + (char) text.length() + text;
        String message = "\u0002\u0001" + (char) id + "x" + (char) response.length() + response;
        return "0" + (char) message.length() + message;
    }

    /** The greeting of a MySQL server with the lower two bytes of its capabilities. */
    private static String mysql(int capabilities) {
        String greeting = "\n8.0.36\0" + "\u0001\0\0\0" + "scramble" + "\0" + (char) (capabilities & 0xff)
                + (char) (capabilities >> 8) + "-\u0002\0" + "\u00ff\u00c1" + "\u0015" + "\0".repeat(10)
                + "scramble1234\0mysql_native_password\0";
        return (char) greeting.length() + "\0\0\0" + greeting;
    }

    private interface Behavior {
        void on(NetSocket socket);
    }

    /** Adds a server; see {@link TlsServers#startTls}. */
    private void scripted(String name, String protocol, String expectation, String greeting, String... pairs) {
        int port = lab.tcp().startTls(identity, greeting, List.of(pairs));
        servers.put(name, new Server(name, port, protocol, expectation));
    }

    private void repeat(NetSocket socket, String text) {
        socket.write(text).onSuccess(written -> vertx.setTimer(1, next -> repeat(socket, text)));
    }

    private void listen(String name, String protocol, String expectation, Behavior behavior) {
        int port = Await.value(vertx.createNetServer()
                        .connectHandler(socket -> {
                            socket.exceptionHandler(broken -> {});
                            behavior.on(socket);
                        })
                        .listen(lab.ports().next(), "127.0.0.1"))
                .actualPort();
        servers.put(name, new Server(name, port, protocol, expectation));
    }
}
