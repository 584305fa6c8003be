package dev.plumbline.support;

import dev.plumbline.lab.FreePorts;
import dev.plumbline.lab.TestCa;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/** Debian's Apache HTTP Server on loopback. */
public final class ApacheServer implements AutoCloseable {
    private static final List<String> MODULES = List.of(
            "mpm_event",
            "authz_core",
            "alias",
            "dir",
            "env",
            "setenvif",
            "mime",
            "headers",
            "expires",
            "rewrite",
            "filter",
            "deflate",
            "brotli",
            "asis",
            "ssl",
            "http2");
    private static final String MODULE_FOLDER = "/usr/lib/apache2/modules";

    private final ServerProcess process;
    private final int plainPort;
    private final int tlsPort;

    private ApacheServer(ServerProcess process, int plainPort, int tlsPort) {
        this.process = process;
        this.plainPort = plainPort;
        this.tlsPort = tlsPort;
    }

    /**
     * Starts one server over HTTP and HTTPS, with HTTP/2 by ALPN. The test is skipped if Apache is not installed.
     *
     * @param folder its working directory, to which {@code FOLDER} in the configuration refers; {@code FOLDER/www} is
     *     the document root
     * @param server directives of the virtual hosts; {@code TLS} is the port of HTTPS
     */
    public static ApacheServer start(Path folder, TestCa.Identity identity, String server) throws IOException {
        Path program = DebianTool.require("apache2");
        identity.writePem(folder);
        Files.createDirectories(folder.resolve("www"));
        // the worker processes have another user if the server is started by root
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        int plainPort = FreePorts.next();
        int tlsPort = FreePorts.next();
        String directives = server.replaceAll("\\bTLS\\b", "" + tlsPort).replace("FOLDER", folder.toString());
        Path configuration = Files.writeString(
                folder.resolve("apache2.conf"), configuration(folder, plainPort, tlsPort, directives));
        ServerProcess process = ServerProcess.start(
                folder.resolve("log"),
                tlsPort,
                List.of(program.toString(), "-D", "FOREGROUND", "-f", configuration.toString()));
        return new ApacheServer(process, plainPort, tlsPort);
    }

    public String http(String path) {
        return "http://127.0.0.1:" + plainPort + path;
    }

    /** The same page over TLS. */
    public String https(String path) {
        return "https://127.0.0.1:" + tlsPort + path;
    }

    private static String configuration(Path folder, int plainPort, int tlsPort, String directives) {
        StringBuilder modules = new StringBuilder();
        MODULES.forEach(
                name -> modules.append("LoadModule %1$s_module %2$s/mod_%1$s.so\n".formatted(name, MODULE_FOLDER)));
        return """
        %1$s
        ServerRoot "%2$s"
        ServerName lab.test
        DefaultRuntimeDir "%2$s"
        PidFile "%2$s/pid"
        ErrorLog /dev/stderr
        User www-data
        Group www-data
        StartServers 1
        ServerLimit 2
        ThreadsPerChild 16
        MaxRequestWorkers 32
        MinSpareThreads 1
        MaxSpareThreads 32
        TypesConfig /dev/null
        AddType text/html .html
        AddType text/plain .txt
        DocumentRoot "%2$s/www"
        Listen 127.0.0.1:%3$d
        Listen 127.0.0.1:%4$d
        <VirtualHost 127.0.0.1:%3$d>
        %5$s
        </VirtualHost>
        <VirtualHost 127.0.0.1:%4$d>
        SSLEngine on
        SSLCertificateFile "%2$s/chain.pem"
        SSLCertificateKeyFile "%2$s/key.pem"
        Protocols h2 http/1.1
        %5$s
        </VirtualHost>
        """
                .formatted(modules, folder, plainPort, tlsPort, directives);
    }

    @Override
    public void close() {
        process.close();
    }
}
