package dev.plumbline.store;

import dev.plumbline.store.PostgresCommands.Outcome;
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

/** The files of one PostgreSQL server, and starting and stopping it. Not thread-safe. */
public final class PostgresCluster {
    public static final String NAME = "plumbline";

    private static final String PASSWORD = "database-password";
    private static final String CLUSTER = "cluster";

    private static final Duration START = Duration.ofMinutes(2);
    private static final Duration STOP = Duration.ofSeconds(30);
    private static final long LOG_BYTES = 8L << 20;
    private static final String UNQUOTABLE = "\"$`\\\n'";

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

    /** Unpacks and initialises what is not there yet. */
    static PostgresCluster open(DataDirectory data) {
        Path home = data.path().resolve("postgres");
        if (home.toString().chars().anyMatch(c -> UNQUOTABLE.indexOf(c) >= 0)) {
            throw new StoreException(
                    "The data directory " + home + " has a quote, $ or \\ in its name, which is not allowed.");
        }
        try {
            DataDirectory.folder(home);
        } catch (IOException e) {
            throw DataDirectory.unwritable(home, e);
        }
        PostgresCommands programs = new PostgresCommands(PostgresBinaries.unpack(home), home);
        programs.checkUser();
        PostgresCluster cluster =
                new PostgresCluster(home, programs, data.secret(PASSWORD), data.secret("database-superuser-password"));
        cluster.initialise();
        return cluster;
    }

    String url(int port) {
        return url(NAME, password, port, NAME);
    }

    /** Where the server of a folder answers that another process holds; empty while it does not. */
    static Optional<String> urlOfRunning(Path dataDir) {
        Path home = dataDir.resolve("postgres");
        try {
            String password = Files.readString(dataDir.resolve(PASSWORD)).strip();
            return Postmaster.readyPort(home.resolve(CLUSTER)).map(port -> url(NAME, password, port, NAME));
        } catch (NoSuchFileException notYet) {
            return Optional.empty();
        } catch (IOException e) {
            throw DataDirectory.unwritable(dataDir, e);
        }
    }

    /** Whether a database was ever made in a folder. */
    static boolean existsIn(Path dataDir) {
        return Files.isDirectory(dataDir.resolve("postgres").resolve(CLUSTER));
    }

    String superuserUrl(int port, String database) {
        return url("postgres", superuserPassword, port, database);
    }

    private static String url(String user, String password, int port, String database) {
        return "postgresql://" + user + ":" + password + "@127.0.0.1:" + port + "/" + database;
    }

    Path folder() {
        return cluster;
    }

    private void initialise() {
        if (Files.isDirectory(cluster)) {
            return;
        }
        Path half = home.resolve("initialising");
        Path passwordFile = home.resolve("initial-password");
        try {
            DataDirectory.deleteTree(half);
            DataDirectory.write(passwordFile, superuserPassword + "\n");
            initdb(half, passwordFile);
            createDatabase(half);
            Files.deleteIfExists(passwordFile);
            DataDirectory.rename(half, cluster);
        } catch (IOException e) {
            throw DataDirectory.unwritable(home, e);
        }
    }

    private void initdb(Path into, Path passwordFile) {
        Outcome outcome = programs.run(
                START,
                "",
                "initdb",
                List.of(
                        "--pgdata=" + into,
                        "--username=postgres",
                        "--pwfile=" + passwordFile,
                        "--auth=scram-sha-256",
                        "--encoding=UTF8",
                        "--locale=C",
                        "--data-checksums",
                        "--no-instructions"));
        if (!outcome.good()) {
            throw new StoreException("The embedded database could not be created: " + outcome.complaint() + ".");
        }
    }

    // The single-user mode needs no client and no open port.
    private void createDatabase(Path into) {
        String sql = "create role "
                + NAME
                + " login password '"
                + password
                + "'\n"
                + "create database "
                + NAME
                + " owner "
                + NAME
                + "\n";
        Outcome outcome = programs.run(START, sql, "postgres", List.of("--single", "-D", into.toString(), "postgres"));
        if (!outcome.good() || outcome.output().contains("ERROR:")) {
            throw new StoreException("The embedded database could not be created: " + outcome.complaint() + ".");
        }
    }

    /** The living server of these files, if there is one. */
    Optional<Postmaster> running() {
        return Postmaster.of(cluster);
    }

    /**
     * Starts the server and waits until it answers.
     *
     * @throws StoreException with what the server complained about
     */
    Postmaster start(int port) {
        PostgresSettings.write(cluster, port);
        forgetStrangers();
        long logged = logSize();
        Outcome outcome = programs.run(
                START.plusSeconds(5),
                "",
                "pg_ctl",
                List.of(
                        "start",
                        "--wait",
                        "--silent",
                        "--timeout=" + START.toSeconds(),
                        "--pgdata=" + cluster,
                        "--log=" + log));
        Optional<Postmaster> started = running();
        if (outcome.good() && started.isPresent()) {
            return started.get();
        }
        stop();
        throw new StoreException("The embedded database does not start: " + complaint(logged, outcome) + ".");
    }

    private void forgetStrangers() {
        if (running().isEmpty()) {
            try {
                Files.deleteIfExists(cluster.resolve("postmaster.pid"));
            } catch (IOException e) {
                throw DataDirectory.unwritable(cluster, e);
            }
        }
    }

    private String complaint(long from, Outcome outcome) {
        try (RandomAccessFile file = new RandomAccessFile(log.toFile(), "r")) {
            file.seek(Math.min(from, file.length()));
            byte[] tail = new byte[(int) Math.min(1 << 16, file.length() - file.getFilePointer())];
            file.readFully(tail);
            if (tail.length > 0) {
                return new Outcome(1, new String(tail, StandardCharsets.UTF_8)).complaint();
            }
        } catch (IOException unreadable) {
            // what pg_ctl itself said is left
        }
        return outcome.complaint();
    }

    /** Stops the server if one runs: in order, or else by force. Returns when it is gone. */
    void stop() {
        for (String mode : List.of("fast", "immediate")) {
            if (running().isEmpty()) {
                return;
            }
            try {
                programs.run(
                        STOP.plusSeconds(5),
                        "",
                        "pg_ctl",
                        List.of(
                                "stop",
                                "--wait",
                                "--silent",
                                "--mode=" + mode,
                                "--timeout=" + STOP.toSeconds(),
                                "--pgdata=" + cluster));
            } catch (StoreException tooSlow) {
                // the next mode is rougher
            }
        }
        running().ifPresent(Postmaster::kill);
    }

    private long logSize() {
        try {
            return Files.size(log);
        } catch (IOException none) {
            return 0;
        }
    }

    /** Keeps the log from growing without end: one old part is kept. */
    void trimLog() {
        if (logSize() < LOG_BYTES) {
            return;
        }
        try {
            Files.copy(log, home.resolve("log.old"), StandardCopyOption.REPLACE_EXISTING);
            // The server appends to the file it has open, so the file has to stay the same one.
            FileChannel.open(log, StandardOpenOption.WRITE).truncate(0).close();
        } catch (IOException e) {
            // the next round may do better
        }
    }
}
