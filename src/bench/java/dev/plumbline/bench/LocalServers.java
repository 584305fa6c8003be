package dev.plumbline.bench;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.net.NetSocket;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.parsetools.RecordParser;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Targets that nginx cannot be, in this process: a WebSocket echo server and a mail server with STARTTLS. */
final class LocalServers implements AutoCloseable {
    private static final int BACKLOG = 4_096;
    private static final int SMTP_PORT = 25;
    private static final long WAIT_SECONDS = 10;

    private final Vertx vertx = Vertx.vertx();
    private final int mailPort;
    private boolean smtp;

    private LocalServers(int mailPort) {
        this.mailPort = mailPort;
    }

    /**
     * Starts both servers.
     *
     * @param echoPort the port to which nginx sends WebSocket connections
     * @param certificates the folder with certificate.pem and key.pem
     */
    static LocalServers start(int echoPort, Path certificates) throws IOException, InterruptedException {
        LocalServers servers = new LocalServers(ServiceUnderLoad.freePort());
        try {
            servers.listen(echoPort, certificates);
            return servers;
        } catch (ExecutionException | TimeoutException failed) {
            servers.close();
            throw new IOException("A server of the benchmark did not start.", failed);
        }
    }

    private void listen(int echoPort, Path certificates)
            throws InterruptedException, ExecutionException, TimeoutException {
        vertx.createHttpServer(new HttpServerOptions().setAcceptBacklog(BACKLOG))
                .webSocketHandler(socket -> socket.textMessageHandler(socket::writeTextMessage))
                .listen(echoPort, "127.0.0.1")
                .toCompletionStage()
                .toCompletableFuture()
                .get(WAIT_SECONDS, TimeUnit.SECONDS);
        listenForMail(mailPort, "127.0.0.1", certificates);
        if (NginxTarget.isFree(NginxTarget.DOMAIN_ADDRESS, SMTP_PORT)) {
            smtp = true;
            listenForMail(SMTP_PORT, NginxTarget.DOMAIN_ADDRESS, certificates);
        }
    }

    private void listenForMail(int port, String address, Path certificates)
            throws InterruptedException, ExecutionException, TimeoutException {
        vertx.createNetServer(new NetServerOptions()
                        .setAcceptBacklog(BACKLOG)
                        .setKeyCertOptions(new PemKeyCertOptions()
                                .addCertPath(
                                        certificates.resolve("certificate.pem").toString())
                                .addKeyPath(certificates.resolve("key.pem").toString())))
                .connectHandler(LocalServers::serveMail)
                .listen(port, address)
                .toCompletionStage()
                .toCompletableFuture()
                .get(WAIT_SECONDS, TimeUnit.SECONDS);
    }

    /** The port of the mail server. */
    int mailPort() {
        return mailPort;
    }

    /** Requires the mail server on port 25 of {@link NginxTarget#DOMAIN_ADDRESS}. */
    void requireSmtp() {
        if (!smtp) {
            throw new MissingProgramException("port 25 of " + NginxTarget.DOMAIN_ADDRESS + " (as root)");
        }
    }

    private static void serveMail(NetSocket socket) {
        socket.exceptionHandler(broken -> socket.close());
        socket.handler(RecordParser.newDelimited("\r\n", line -> reply(socket, line)));
        socket.write("220 mail." + TargetNames.ZONE + " ESMTP\r\n");
    }

    private static void reply(NetSocket socket, Buffer line) {
        String command = line.toString(StandardCharsets.US_ASCII).toUpperCase(Locale.ROOT);
        if (command.startsWith("EHLO")) {
            socket.write("250-mail." + TargetNames.ZONE + "\r\n250-SIZE 10240000\r\n250 STARTTLS\r\n");
        } else if (command.equals("STARTTLS")) {
            socket.upgradeToSsl(Buffer.buffer("220 2.0.0 Ready to start TLS\r\n"));
        } else if (command.equals("QUIT")) {
            socket.end(Buffer.buffer("221 2.0.0 Bye\r\n"));
        } else {
            socket.write("502 5.5.2 Command not recognized\r\n");
        }
    }

    @Override
    public void close() {
        vertx.close();
    }
}
