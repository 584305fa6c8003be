package dev.plumbline.postgres.embedded;

import dev.plumbline.postgres.PostgresException;
import dev.plumbline.postgres.embedded.PostgresCommands.Outcome;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A PostgreSQL cluster directory and its server. Not thread-safe. */
public final class PostgresCluster {
    public static final String NAME = "plumbline";

    private static final String SUPERUSER = "postgres";
    private static final String PASSWORD = "database-password";
    private static final String SUPERUSER_PASSWORD = "database-superuser-password";
    private static final String CLUSTER = "cluster";

    private static final Logger LOG = LoggerFactory.getLogger(PostgresCluster.class);
    private static final Duration CREATE_TIMEOUT = Duration.ofMinutes(2);

    /** After this time, a server that is still starting recovers after a crash, which has no time limit. */
    private static final Duration START_TIMEOUT = Duration.ofSeconds(10);

    private static final long RECOVERY_POLL_MILLIS = 100;
    private static final long EXIT_POLL_MILLIS = 10;
    private static final int EXIT_POLLS = 500;
    private static final Duration STOP_TIMEOUT = Duration.ofSeconds(30);
    private static final long MAX_LOG_BYTES = 8L << 20;
    private static final String FORBIDDEN_CHARACTERS = "\"$`\\\n'";

    private final Path home;
    private final Path cluster;
    private final Path log;
    private final PostgresCommands programs;
    private final String password;
    private final String superuserPassword;

    private PostgresCluster(Path home, PostgresCommands programs, String password, String superuserPassword) {
        this.home = home;
        this.cluster = home.resolve(CLUSTER);
        this.log = home.resolve("log");
        this.programs = programs;
        this.password = password;
        this.superuserPassword = superuserPassword;
    }

    /** Extracts the programs and initializes the cluster if they are missing. */
    static PostgresCluster open(DataDirectory data) {
        Path home = data.path().resolve("postgres");
        if (home.toString().chars().anyMatch(c -> FORBIDDEN_CHARACTERS.indexOf(c) >= 0)) {
            throw new PostgresException(
                    "The data directory " + home + " contains a quote, $ or \\, which is not supported.");
        }
        try {
            DataDirectory.createDirectory(home);
        } catch (IOException e) {
            throw DataDirectory.unwritable(home, e);
        }
        PostgresCommands programs = new PostgresCommands(PostgresBinaries.unpack(home), home);
        programs.checkUser();
        PostgresCluster cluster = new PostgresCluster(
                home,
                programs,
                DataDirectory.sharedSecret(data.path(), PASSWORD),
                DataDirectory.sharedSecret(data.path(), SUPERUSER_PASSWORD));
        cluster.initialize();
        return cluster;
    }

    String url(int port) {
        return url(NAME, password, port, NAME);
    }

    /**
     * The URL of the running server in a data directory that another process holds; empty if it does not accept
     * connections.
     */
    public static Optional<String> urlOfRunning(Path dataDir) {
        return urlOfRunning(dataDir, PASSWORD, NAME, NAME);
    }

    /** Like {@link #urlOfRunning(Path)}, as superuser. */
    public static Optional<String> superuserUrlOfRunning(Path dataDir) {
        return urlOfRunning(dataDir, SUPERUSER_PASSWORD, SUPERUSER, SUPERUSER);
    }

    private static Optional<String> urlOfRunning(Path dataDir, String passwordFile, String user, String database) {
        Path cluster = dataDir.resolve("postgres").resolve(CLUSTER);
        try {
            String password = Files.readString(dataDir.resolve(passwordFile)).strip();
            return Postmaster.readyPort(cluster).map(port -> url(user, password, port, database));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException e) {
            throw DataDirectory.unwritable(dataDir, e);
        }
    }

    public static boolean existsIn(Path dataDir) {
        return Files.isDirectory(dataDir.resolve("postgres").resolve(CLUSTER));
    }

    String superuserUrl(int port, String database) {
        return url(SUPERUSER, superuserPassword, port, database);
    }

    private static String url(String user, String password, int port, String database) {
        return "postgresql://" + user + ":" + password + "@127.0.0.1:" + port + "/" + database;
    }

    private void initialize() {
        if (Files.isDirectory(cluster)) {
            return;
        }
        Path temporary = home.resolve("initialising");
        Path passwordFile = home.resolve("initial-password");
        try {
            DataDirectory.deleteTree(temporary);
            DataDirectory.write(passwordFile, superuserPassword + "\n");
            initdb(temporary, passwordFile);
            createDatabase(temporary);
            Files.deleteIfExists(passwordFile);
            DataDirectory.rename(temporary, cluster);
        } catch (IOException e) {
            throw DataDirectory.unwritable(home, e);
        }
    }

    private void initdb(Path into, Path passwordFile) {
        requireCreated(programs.run(
                CREATE_TIMEOUT,
                "",
                "initdb",
                "--pgdata=" + into,
                "--username=postgres",
                "--pwfile=" + passwordFile,
                "--auth=scram-sha-256",
                "--encoding=UTF8",
                "--locale=C",
                "--data-checksums",
                "--no-instructions"));
    }

    // single-user mode needs no client and no port
    private void createDatabase(Path into) {
        String sql = """
      create role %1$s login password '%2$s'
      create database %1$s owner %1$s
      """
                .formatted(NAME, password);
        requireCreated(programs.run(CREATE_TIMEOUT, sql, "postgres", "--single", "-D", into.toString(), "postgres"));
    }

    private static void requireCreated(Outcome outcome) {
        if (!outcome.succeeded() || outcome.output().contains("ERROR:")) {
            throw new PostgresException("The embedded database could not be created: " + outcome.errorMessage() + ".");
        }
    }

    Optional<Postmaster> running() {
        return Postmaster.of(cluster);
    }

    /**
     * Starts the server and waits until it accepts connections, however long it recovers.
     *
     * @throws PostgresException with the message of the server
     */
    Postmaster start(int port) {
        PostgresSettings.write(cluster, port);
        deleteStalePidFile();
        long logStart = logSize();
        Outcome outcome = programs.run(
                CREATE_TIMEOUT,
                "",
                "pg_ctl",
                "start",
                "--wait",
                "--silent",
                "--timeout=" + START_TIMEOUT.toSeconds(),
                "--pgdata=" + cluster,
                "--log=" + log);
        Optional<Postmaster> started = running();
        if (started.isPresent() && (outcome.succeeded() || recovers(started.get()))) {
            return started.get();
        }
        stop();
        throw new PostgresException("The embedded database cannot be started: " + message(logStart, outcome) + ".");
    }

    /** Waits for the end of a recovery; returns whether the server then accepts connections. */
    private boolean recovers(Postmaster started) {
        LOG.info("embedded database recovering");
        while (Postmaster.readyPort(cluster).isEmpty()) {
            try {
                Thread.sleep(RECOVERY_POLL_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return false;
            }
            if (!started.alive()) {
                return false;
            }
        }
        return true;
    }

    private void deleteStalePidFile() {
        if (running().isEmpty()) {
            try {
                Files.deleteIfExists(cluster.resolve("postmaster.pid"));
            } catch (IOException e) {
                throw DataDirectory.unwritable(cluster, e);
            }
        }
    }

    private String message(long from, Outcome outcome) {
        try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "r")) {
            file.seek(Math.min(from, file.length()));
            byte[] tail = new byte[(int) Math.min(1 << 16, file.length() - file.getFilePointer())];
            file.readFully(tail);
            if (tail.length > 0) {
                return new Outcome(1, new String(tail, StandardCharsets.UTF_8)).errorMessage();
            }
        } catch (IOException unreadable) {
            // the output of pg_ctl is used
        }
        return outcome.errorMessage();
    }

    /** Stops the server: fast, then immediate, then SIGKILL. */
    void stop() {
        Postmaster server = running().orElse(null);
        if (server == null) {
            return;
        }
        for (String mode : List.of("fast", "immediate")) {
            try {
                programs.run(
                        STOP_TIMEOUT.plusSeconds(5),
                        "",
                        "pg_ctl",
                        "stop",
                        "--wait",
                        "--silent",
                        "--mode=" + mode,
                        "--timeout=" + STOP_TIMEOUT.toSeconds(),
                        "--pgdata=" + cluster);
            } catch (PostgresException e) {
                // the next mode is more forceful
            }
            if (ended(server)) {
                return;
            }
        }
        server.kill();
    }

    /** Waits for the end of a server; pg_ctl only waits until the server has deleted its file with the process ID. */
    private static boolean ended(Postmaster server) {
        for (int poll = 0; poll < EXIT_POLLS && server.alive(); poll++) {
            try {
                Thread.sleep(EXIT_POLL_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return !server.alive();
            }
        }
        return !server.alive();
    }

    private long logSize() {
        try {
            return Files.size(log);
        } catch (IOException e) {
            return 0;
        }
    }

    /** Rotates the log by size; one old file is kept. */
    void rotateLog() {
        if (logSize() < MAX_LOG_BYTES) {
            return;
        }
        try {
            Files.copy(log, home.resolve("log.old"), StandardCopyOption.REPLACE_EXISTING);
            // the server keeps the file open, so it is truncated instead of renamed
            FileChannel.open(log, StandardOpenOption.WRITE).truncate(0).close();
        } catch (IOException e) {
            // retried with the next rotation
        }
    }
}
