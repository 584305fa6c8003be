package dev.plumbline.cli;

import dev.plumbline.postgres.embedded.DataDirectory;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.xbill.DNS.ARecord;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/**
 * {@code plumbline aot-training}: runs checks of local servers on loopback, on the command line and with the service,
 * so that the JVM can record the loaded classes in an AOT cache or a class-data archive. The start script and the build
 * of the container image run it with the first JIT compiler only ({@code -XX:TieredStopAtLevel=1}): with the profiles
 * of the second one, JDK 25 compiles so much at the start that the start and the first checks take more CPU time.
 */
@Command(
        name = "aot-training",
        hidden = true,
        description = "Runs checks of local servers and the service on loopback. Used to create the AOT cache.",
        mixinStandardHelpOptions = true)
public final class TrainingCommand implements Callable<Integer> {
    private static final int TARGETS = 500;
    private static final int MAX_DNS_MESSAGE = 4096;
    private static final String DOMAIN = "training.test";
    private static final String HOST = "www." + DOMAIN;
    private static final String PAGE =
            "<!doctype html><html><head><title>Training</title></head><body><p>A page.</p></body></html>";

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws Exception {
        Vertx vertx = Vertx.vertx();
        PrintStream out = System.out;
        Path folder = Files.createTempDirectory("plumbline-training");
        try (DatagramSocket dns = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            Thread resolver = new Thread(() -> answer(dns), "training-dns");
            resolver.setDaemon(true);
            resolver.start();
            TrainingCertificate certificate = TrainingCertificate.create(DOMAIN);
            Path root = Files.writeString(folder.resolve("root.pem"), certificate.rootPem());
            int http = listen(vertx, new HttpServerOptions());
            int https = listen(
                    vertx,
                    new HttpServerOptions()
                            .setSsl(true)
                            .setUseAlpn(true)
                            .setKeyCertOptions(certificate.keyCertOptions()));
            Path settings = Files.writeString(
                    folder.resolve("settings.yaml"),
                    "targets: {allow: [127.0.0.0/8], ports: ['*'], per_ip_per_second: 0, per_ip_concurrent: 0}\n"
                            + "tls: {extra_roots: '" + root + "'}\n"
                            + "dns: {servers: ['127.0.0.1:" + dns.getLocalPort() + "'], timeout: 1s}\n");
            System.setOut(new StandardOutput(OutputStream.nullOutputStream(), StandardCharsets.UTF_8));
            String page = "http://" + HOST + ":" + http + "/";
            String secure = "https://" + HOST + ":" + https + "/";
            for (String module : List.of("http-status", "security-headers", "page-metadata", "redirect-chain")) {
                check(settings, module, page);
                check(settings, module, secure, "--json");
            }
            check(settings, "robots-txt", page);
            check(settings, "http-timing", page);
            check(settings, "ssl-certificate", HOST + ":" + https);
            check(settings, "tls-protocols", HOST + ":" + https);
            check(settings, "tcp-port", HOST + ":" + http);
            for (String module : List.of("dns-records", "mx", "spf", "dmarc")) {
                check(settings, module, DOMAIN);
            }
            List<String> lines =
                    IntStream.range(0, TARGETS).mapToObj(i -> page + i).toList();
            Path input = Files.write(folder.resolve("targets"), lines);
            for (String format : List.of("ndjson", "text", "csv", "junit", "markdown", "nagios")) {
                check(settings, "http-status", "--input=" + input, "--output=" + format, "-omethod=get");
            }
            spec.root().commandLine().execute("check", "--help");
            spec.root().commandLine().execute("config");
            spec.root().commandLine().execute("tools");
            try (ServiceTraining training = new ServiceTraining(settings, folder.resolve("data"))) {
                training.run(targets(http, https), page, secure, DOMAIN, https);
            }
        } finally {
            System.setOut(out);
            vertx.close().await();
            DataDirectory.deleteTree(folder);
        }
        return 0;
    }

    private void check(Path settings, String module, String... arguments) {
        List<String> command = new ArrayList<>(List.of("check", "--conf", settings.toString(), module));
        command.addAll(List.of(arguments));
        spec.root().commandLine().execute(command.toArray(String[]::new));
    }

    private static Map<String, String> targets(int http, int https) {
        return Map.of(
                "url",
                "https://" + HOST + ":" + https + "/",
                "domain",
                DOMAIN,
                "host",
                HOST,
                "host_port",
                HOST + ":" + http,
                "ip",
                "127.0.0.1",
                "email",
                "postmaster@" + DOMAIN);
    }

    private static int listen(Vertx vertx, HttpServerOptions options) {
        HttpServer server = vertx.createHttpServer(options.setHost("127.0.0.1").setPort(0))
                .requestHandler(TrainingCommand::respond);
        return server.listen().await().actualPort();
    }

    private static void respond(HttpServerRequest request) {
        if (request.path().equals("/robots.txt")) {
            request.response().putHeader("Content-Type", "text/plain").end("User-agent: *\nDisallow: /private\n");
        } else {
            request.response().putHeader("Content-Type", "text/html").end(PAGE);
        }
    }

    /** Sends 127.0.0.1 in response to every A query, and no records for other types, until the socket is closed. */
    private static void answer(DatagramSocket socket) {
        byte[] buffer = new byte[MAX_DNS_MESSAGE];
        try {
            while (true) {
                DatagramPacket packet = new DatagramPacket(buffer, buffer.length);
                socket.receive(packet);
                Message query = new Message(Arrays.copyOf(buffer, packet.getLength()));
                Record question = query.getQuestion();
                Message response = new Message(query.getHeader().getID());
                response.getHeader().setFlag(Flags.QR);
                response.getHeader().setFlag(Flags.RA);
                response.addRecord(question, Section.QUESTION);
                if (question.getType() == Type.A) {
                    response.addRecord(
                            new ARecord(
                                    question.getName(), question.getDClass(), 60, InetAddress.getByAddress(new byte[] {
                                        127, 0, 0, 1
                                    })),
                            Section.ANSWER);
                }
                byte[] bytes = response.toWire();
                socket.send(new DatagramPacket(bytes, bytes.length, packet.getSocketAddress()));
            }
        } catch (IOException closed) {
            // the training is complete
        }
    }
}
