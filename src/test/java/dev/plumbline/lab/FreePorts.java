package dev.plumbline.lab;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports on which no process listens. They are above the ephemeral port range of the kernel (32768 to 60999) and
 * reserved among all test JVMs of a user until this JVM ends. No other test uses a port between its allocation and its
 * use, and connections to an unused port are refused.
 */
public final class FreePorts {
    private static final int FIRST = 61_000;
    private static final int COUNT = 65_536 - FIRST;

    /** The byte whose lock reserves the addresses of the domains. */
    private static final int DOMAIN_ADDRESSES = 0;

    /** A lock on byte n reserves port n. */
    private static final FileChannel RESERVED = open();

    private static int next = ThreadLocalRandom.current().nextInt(COUNT);

    private FreePorts() {}

    private static FileChannel open() {
        String name = "plumbline-test-ports-" + System.getProperty("user.name");
        try {
            return FileChannel.open(
                    Path.of(System.getProperty("java.io.tmpdir"), name),
                    StandardOpenOption.CREATE,
                    StandardOpenOption.WRITE);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** A port that is free for TCP and UDP. Each call in this JVM returns a different port. */
    public static synchronized int next() {
        for (int attempt = 0; attempt < COUNT; attempt++) {
            next = (next + 1) % COUNT;
            int port = FIRST + next;
            if (reserve(port) && LabPorts.isFree(port)) {
                return port;
            }
        }
        throw new IllegalStateException("no free port");
    }

    /** The first of two consecutive ports that are free. */
    public static synchronized int nextPair() {
        for (int attempt = 0; attempt < COUNT; attempt++) {
            int port = next();
            if (port < 65_535 && reserve(port + 1) && LabPorts.isFree(port + 1)) {
                return port;
            }
        }
        throw new IllegalStateException("no two consecutive free ports");
    }

    /** The lowest number from 1 to 200 that no other test JVM uses, for addresses on which servers use fixed ports. */
    public static synchronized int jvmNumber() {
        for (int number = 1; number <= 200; number++) {
            if (reserve(number)) {
                return number;
            }
        }
        throw new IllegalStateException("no free number");
    }

    /**
     * Waits until no other test JVM uses the addresses of the domains of the lab, which are the same in each JVM.
     *
     * @return to be released
     */
    public static FileLock awaitDomainAddresses() {
        try {
            return RESERVED.lock(DOMAIN_ADDRESSES, 1, false);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** Returns whether the port was not reserved before. */
    private static boolean reserve(int port) {
        try {
            return RESERVED.tryLock(port, 1, false) != null;
        } catch (OverlappingFileLockException mine) {
            return false;
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
