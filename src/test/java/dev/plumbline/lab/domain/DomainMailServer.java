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
    private final MailPlan plan;

    private DomainMailServer(MailPlan plan) {
        this.plan = plan;
    }

    static void start(Vertx vertx, DomainPlan plan, TestCa.Identity identity) {
        DomainMailServer server = new DomainMailServer(plan.mail());
        for (String address : plan.addresses().both(Host.MAIL)) {
            if (plan.mail().state() == PortState.OPEN) {
                Await.value(vertx.createNetServer(new NetServerOptions().setKeyCertOptions(DomainSite.pem(identity)))
                        .connectHandler(server::serve)
                        .listen(25, address));
            } else {
                DomainServer.listen(vertx, plan.mail().state(), address, 25);
            }
        }
    }

    private void serve(NetSocket socket) {
        socket.exceptionHandler(broken -> {});
        socket.handler(bytes -> reply(socket, bytes.toString().toUpperCase(Locale.ROOT)));
        socket.write(plan.greeting() + "\r\n");
    }

    private void reply(NetSocket socket, String command) {
        if (command.startsWith("EHLO")) {
            List<String> extensions = plan.extensions().stream()
                    .filter(line -> !socket.isSsl() || !line.equals("STARTTLS"))
                    .toList();
            StringBuilder lines = new StringBuilder("250-" + plan.host() + "\r\n");
            extensions.forEach(line -> lines.append("250-").append(line).append("\r\n"));
            socket.write(lines.append("250 HELP\r\n").toString());
        } else if (command.startsWith("STARTTLS") && plan.extensions().contains("STARTTLS")) {
            socket.upgradeToSsl(Buffer.buffer("220 2.0.0 Ready to start TLS\r\n"));
        } else if (command.startsWith("QUIT")) {
            socket.end(Buffer.buffer("221 2.0.0 Bye\r\n"));
        } else {
            socket.write("502 5.5.1 Command not implemented\r\n");
        }
    }
}
