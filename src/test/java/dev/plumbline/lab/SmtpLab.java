package dev.plumbline.lab;

import dev.plumbline.support.Await;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetSocket;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Mail servers on 127.0.0.1 without TLS, well-behaved and hostile. */
public final class SmtpLab {
    /** The hostname of all servers. */
    public static final String HOST = StartTlsLab.HOST;

    /**
     * A server.
     *
     * @param expectation as in {@link LabTarget}
     */
    public record Server(String name, int port, String expectation) {}

    private final Vertx vertx;
    private final LabPorts ports;
    private final Map<String, Server> servers = new LinkedHashMap<>();

    /** Starts all servers on free ports. They end with the event loops. */
    public SmtpLab(Vertx vertx) {
        this(vertx, LabPorts.free());
    }

    SmtpLab(Vertx vertx, LabPorts ports) {
        this.vertx = vertx;
        this.ports = ports;
        addGood();
        addHostile();
    }

    /** The targets with their expected results. */
    public List<LabTarget> targets() {
        return servers.values().stream()
                .map(server -> new LabTarget("smtp", HOST + ":" + server.port(), server.expectation()))
                .toList();
    }

    public Server server(String name) {
        return servers.get(name);
    }

    public List<Server> servers() {
        return List.copyOf(servers.values());
    }

    private void addGood() {
        String greeting = "220 mail.lab.test ESMTP\r\n";
        dialog(
                "good",
                "verdict=pass; STARTTLS",
                greeting,
                "250-mail.lab.test\r\n250-SIZE 52428800\r\n250-8BITMIME\r\n250 STARTTLS\r\n");
        dialog(
                "multiline",
                "verdict=pass; a greeting of three lines",
                "220-mail.lab.test\r\n220-No spam\r\n220 ESMTP\r\n",
                "250-mail.lab.test\r\n250-size 52428800\r\n250 starttls\r\n");
        dialog("plain", "verdict=warn; no STARTTLS", greeting, "250-mail.lab.test\r\n250 SIZE 52428800\r\n");
        dialog("helo", "verdict=warn; no EHLO", greeting, "502 5.5.1 Unknown command\r\n", "250 mail.lab.test\r\n");
        dialog(
                "masked",
                "verdict=warn; inspected by a firewall",
                "220 ***********************0*2****\r\n",
                "250-mail.lab.test\r\n250-SIZE 52428800\r\n250 XXXXXXXA\r\n");
        dialog(
                "auth",
                "verdict=fail; passwords without TLS",
                greeting,
                "250-mail.lab.test\r\n250-AUTH PLAIN LOGIN CRAM-MD5\r\n250-SIZE 52428800\r\n250 STARTTLS\r\n");
        dialog(
                "scram",
                "verdict=pass; AUTH without a plaintext mechanism",
                greeting,
                "250-mail.lab.test\r\n250-AUTH=SCRAM-SHA-256\r\n250-SIZE 0\r\n250 STARTTLS\r\n");
        dialog(
                "small",
                "verdict=warn; SIZE below the minimum",
                greeting,
                "250-mail.lab.test\r\n250-SIZE 1000\r\n250 STARTTLS\r\n");
    }

    private void addHostile() {
        String failed = "error=smtp_protocol_error";
        dialog("rejecting", failed, "554 5.7.1 No SMTP service here\r\n");
        dialog("busy", failed, "421 4.7.0 Try again later\r\n");
        dialog("ehlo-rejected", failed, "220 mail.lab.test ESMTP\r\n", "550 5.7.1 Invalid EHLO name\r\n");
        dialog("wrong-code", failed, "999 mail.lab.test\r\n");
        dialog("imap", failed, "* OK IMAP4rev1 ready\r\n");
        dialog(
                "pipelined",
                failed,
                "220 mail.lab.test ESMTP\r\n250-mail.lab.test\r\n250 STARTTLS\r\n221 Bye\r\n",
                "250 mail.lab.test\r\n");
        listen("closing", failed, NetSocket::close);
        listen("closing-after-greeting", failed, socket -> socket.end(Buffer.buffer("220 mail.lab.test ESMTP\r\n")));
        listen("silent", "error=read_timeout", socket -> {});
        listen("changing-code", "error=read_timeout", socket -> socket.write("220-mail.lab.test\r\n250 ready\r\n"));
        listen(
                "dripping",
                "error=read_timeout",
                socket -> vertx.setPeriodic(
                        200, timer -> socket.write("2").onFailure(closed -> vertx.cancelTimer(timer))));
        String tooLarge = "error=response_too_large";
        listen("endless-greeting", tooLarge, socket -> repeat(socket, "220-spam\r\n".repeat(200)));
        listen("one-line", tooLarge, socket -> socket.write("220 " + "a".repeat(1 << 20) + "\r\n"));
        listen("endless-extensions", tooLarge, socket -> {
            socket.write("220 mail.lab.test ESMTP\r\n");
            socket.handler(ehlo -> repeat(socket, "250-X-SPAM\r\n".repeat(100)));
        });
    }

    /** Adds a server that sends a greeting, one reply to each of the next commands, and 221 to QUIT. */
    private void dialog(String name, String expectation, String greeting, String... replies) {
        listen(name, expectation, socket -> {
            int[] next = {0};
            socket.handler(command -> {
                if (command.toString().startsWith("QUIT")) {
                    socket.end(Buffer.buffer("221 Bye\r\n"));
                } else if (next[0] < replies.length) {
                    socket.write(replies[next[0]++]);
                }
            });
            socket.write(greeting);
        });
    }

    private void repeat(NetSocket socket, String text) {
        socket.write(text).onSuccess(written -> vertx.setTimer(1, next -> repeat(socket, text)));
    }

    private void listen(String name, String expectation, Handler<NetSocket> behavior) {
        int port = Await.value(vertx.createNetServer()
                        .connectHandler(socket -> {
                            socket.exceptionHandler(broken -> {});
                            behavior.handle(socket);
                        })
                        .listen(ports.next(), "127.0.0.1"))
                .actualPort();
        servers.put(name, new Server(name, port, expectation));
    }
}
