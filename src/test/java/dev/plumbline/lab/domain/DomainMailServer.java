package dev.plumbline.lab.domain;

import dev.plumbline.lab.TestCa;
import dev.plumbline.lab.domain.DomainAddresses.Host;
import dev.plumbline.support.Await;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.NetSocket;
import java.util.List;
import java.util.Locale;

/** The mail server of a domain on port 25. */
final class DomainMailServer {
    private final MailSpec spec;

    private DomainMailServer(MailSpec spec) {
        this.spec = spec;
    }

    static void start(Vertx vertx, DomainSpec spec, TestCa.Identity identity) {
        DomainMailServer server = new DomainMailServer(spec.mail());
        NetServerOptions options = new NetServerOptions();
        DomainSite.configure(
                options, identity, spec.mail().legacyTls(), spec.mail().tls13());
        for (String address : spec.addresses().both(Host.MAIL)) {
            PortState state = spec.mail().state(address.contains(":"));
            if (state == PortState.OPEN) {
                Await.value(vertx.createNetServer(options)
                        .connectHandler(server::serve)
                        .listen(25, address));
            } else {
                DomainServer.listen(vertx, state, address, 25);
            }
        }
    }

    private void serve(NetSocket socket) {
        socket.exceptionHandler(broken -> {});
        socket.handler(bytes -> reply(socket, bytes.toString().toUpperCase(Locale.ROOT)));
        socket.write(spec.greeting() + "\r\n");
    }

    private void reply(NetSocket socket, String command) {
        if (command.startsWith("EHLO")) {
            List<String> extensions = spec.extensions().stream()
                    .filter(line -> !socket.isSsl() || !line.equals("STARTTLS"))
                    .toList();
            StringBuilder lines = new StringBuilder("250-" + spec.host() + "\r\n");
            extensions.forEach(line -> lines.append("250-").append(line).append("\r\n"));
            socket.write(lines.append("250 HELP\r\n").toString());
        } else if (command.startsWith("STARTTLS") && spec.extensions().contains("STARTTLS")) {
            socket.upgradeToSsl(Buffer.buffer("220 2.0.0 Ready to start TLS\r\n"));
        } else if (command.startsWith("QUIT")) {
            socket.end(Buffer.buffer("221 2.0.0 Bye\r\n"));
        } else {
            socket.write("502 5.5.1 Command not implemented\r\n");
        }
    }
}
