package dev.plumbline.support;

import dev.plumbline.lab.FreePorts;
import dev.plumbline.lab.TestCa;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.opentest4j.TestAbortedException;

/**
 * Debian's mail, FTP, chat and database servers with STARTTLS on loopback. They require root, because they change their
 * user.
 */
public final class StartTlsServer implements AutoCloseable {
    private final ServerProcess process;
    private final int port;

    private StartTlsServer(ServerProcess process, int port) {
        this.process = process;
        this.port = port;
    }

    /** Starts Postfix as an SMTP server with STARTTLS. */
    public static StartTlsServer postfix(Path folder, TestCa.Identity identity) throws IOException {
        return postfix(folder, identity, "");
    }

    /** @param settings additional lines of main.cf, which override the others */
    public static StartTlsServer postfix(Path folder, TestCa.Identity identity, String settings) throws IOException {
        DebianTool.require("postfix");
        Path master = DebianTool.require("master");
        prepare(folder, identity);
        Path configuration = Files.createDirectory(folder.resolve("etc"));
        for (String queue : List.of("pid", "public", "private", "data")) {
            Path directory = Files.createDirectory(folder.resolve(queue));
            if (!queue.equals("pid")) {
                Files.setOwner(
                        directory,
                        folder.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("postfix"));
            }
        }
        Files.writeString(
                configuration.resolve("main.cf"),
                """
                compatibility_level = 3.6
                queue_directory = %1$s
                data_directory = %1$s/data
                daemon_directory = %2$s
                maillog_file = /dev/stdout
                myhostname = mx.lab.test
                mydestination =
                alias_maps =
                local_recipient_maps =
                inet_interfaces = 127.0.0.1
                inet_protocols = ipv4
                smtpd_tls_security_level = may
                smtpd_tls_cert_file = %1$s/chain.pem
                smtpd_tls_key_file = %1$s/key.pem
                """
                                .formatted(folder, master.getParent())
                        + settings);
        int port = FreePorts.next();
        Files.writeString(
                configuration.resolve("master.cf"),
                """
                127.0.0.1:%d inet n - n - - smtpd
                postlog unix-dgram n - n - 1 postlogd
                tlsmgr unix - - n 1000? 1 tlsmgr
                anvil unix - - n - 1 anvil
                rewrite unix - - n - - trivial-rewrite
                """
                        .formatted(port));
        return start(folder, port, List.of(master.toString(), "-c", configuration.toString(), "-d"));
    }

    /** Starts Dovecot. */
    public static StartTlsServer dovecot(Path folder, TestCa.Identity identity, StartTlsService service)
            throws IOException {
        Path program = DebianTool.require("dovecot");
        prepare(folder, identity);
        int port = FreePorts.next();
        String name = service == StartTlsService.IMAP ? "imap" : "pop3";
        Path configuration = Files.writeString(
                folder.resolve("dovecot.conf"),
                """
                base_dir = %1$s/run
                state_dir = %1$s/state
                protocols = %2$s
                listen = 127.0.0.1
                ssl = yes
                ssl_cert = <%1$s/chain.pem
                ssl_key = <%1$s/key.pem
                log_path = /dev/stderr
                default_internal_user = root
                default_internal_group = root
                default_login_user = nobody
                passdb {
                  driver = static
                }
                service %2$s-login {
                  chroot =
                  inet_listener %2$s {
                    port = %3$d
                  }
                  inet_listener %2$ss {
                    port = 0
                  }
                }
                """
                        .formatted(folder, name, port));
        return start(folder, port, List.of(program.toString(), "-F", "-c", configuration.toString()));
    }

    /** A service of Dovecot. */
    public enum StartTlsService {
        IMAP,
        POP3
    }

    /**
     * Starts vsftpd.
     *
     * @param tls whether it supports AUTH TLS
     */
    public static StartTlsServer vsftpd(Path folder, TestCa.Identity identity, boolean tls) throws IOException {
        Path program = DebianTool.require("vsftpd");
        prepare(folder, identity);
        Files.createDirectory(folder.resolve("empty"));
        int port = FreePorts.next();
        Path configuration = Files.writeString(
                folder.resolve("vsftpd.conf"),
                """
                listen=YES
                listen_address=127.0.0.1
                listen_port=%2$d
                background=NO
                anonymous_enable=YES
                allow_anon_ssl=YES
                ssl_enable=%3$s
                rsa_cert_file=%1$s/chain.pem
                rsa_private_key_file=%1$s/key.pem
                secure_chroot_dir=%1$s/empty
                ftp_username=nobody
                nopriv_user=nobody
                seccomp_sandbox=NO
                """
                        .formatted(folder, port, tls ? "YES" : "NO"));
        return start(folder, port, List.of(program.toString(), configuration.toString()));
    }

    /** Starts Prosody with one virtual host. */
    public static StartTlsServer prosody(Path folder, TestCa.Identity identity, String domain) throws IOException {
        Path program = DebianTool.require("prosody");
        prepare(folder, identity);
        int port = FreePorts.next();
        Path configuration = Files.writeString(
                folder.resolve("prosody.cfg.lua"),
                """
                run_as_root = true
                daemonize = false
                pidfile = "%1$s/pid"
                data_path = "%1$s/data"
                interfaces = { "127.0.0.1" }
                c2s_ports = { %2$d }
                s2s_ports = {}
                modules_enabled = { "tls", "saslauth" }
                modules_disabled = { "s2s" }
                log = { info = "*console" }
                VirtualHost "%3$s"
                ssl = { key = "%1$s/key.pem"; certificate = "%1$s/chain.pem" }
                """
                        .formatted(folder, port, domain));
        return start(folder, port, List.of(program.toString(), "-F", "--config", configuration.toString()));
    }

    /**
     * Starts PostgreSQL.
     *
     * @param tls whether it accepts SSLRequest
     */
    public static StartTlsServer postgresql(Path folder, TestCa.Identity identity, boolean tls) throws IOException {
        Path program = DebianTool.require("postgres").toRealPath();
        Path setpriv = DebianTool.require("setpriv");
        prepare(folder, identity);
        // it rejects root, and a key that another user owns
        List<String> asNobody = List.of(setpriv.toString(), "--reuid=nobody", "--clear-groups");
        for (Path file : List.of(
                folder.resolve("key.pem"),
                folder.resolve("chain.pem"),
                Files.createDirectory(folder.resolve("pgdata")))) {
            Files.setOwner(
                    file, folder.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName("nobody"));
        }
        Files.setPosixFilePermissions(folder.resolve("key.pem"), PosixFilePermissions.fromString("rw-------"));
        List<String> initialization = new ArrayList<>(asNobody);
        initialization.addAll(List.of(
                program.resolveSibling("initdb").toString(),
                "--no-sync",
                "--auth=trust",
                "--pgdata=" + folder.resolve("pgdata")));
        Process initialized = new ProcessBuilder(initialization)
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("initdb.log").toFile())
                .start();
        if (initialized.onExit().join().exitValue() != 0) {
            throw new AssertionError(Files.readString(folder.resolve("initdb.log")));
        }
        int port = FreePorts.next();
        List<String> command = new ArrayList<>(asNobody);
        command.addAll(List.of(
                program.toString(),
                "-D",
                folder.resolve("pgdata").toString(),
                "-p",
                String.valueOf(port),
                "-c",
                "listen_addresses=127.0.0.1",
                "-c",
                "unix_socket_directories=",
                "-c",
                "ssl=" + (tls ? "on" : "off"),
                "-c",
                "ssl_cert_file=" + folder.resolve("chain.pem"),
                "-c",
                "ssl_key_file=" + folder.resolve("key.pem")));
        return start(folder, port, command);
    }

    private static StartTlsServer start(Path folder, int port, List<String> command) throws IOException {
        return new StartTlsServer(ServerProcess.start(folder.resolve("log"), port, command), port);
    }

    private static void prepare(Path folder, TestCa.Identity identity) throws IOException {
        if (!System.getProperty("user.name").equals("root")) {
            throw new TestAbortedException("the servers require root");
        }
        // processes of other users open files below it
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        identity.writePem(folder);
    }

    public int port() {
        return port;
    }

    @Override
    public void close() {
        process.close();
    }
}
