package dev.plumbline.postgres.embedded;

import dev.plumbline.postgres.PostgresException;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Locale;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.compressors.xz.XZCompressorInputStream;

/** The PostgreSQL programs, extracted from the archive on the class path. */
final class PostgresBinaries {
    private static final String DIRECTORY_PREFIX = "programs-";

    private PostgresBinaries() {}

    /**
     * The directory with {@code bin}, {@code lib} and {@code share}. Extracts the archive if it is missing or the
     * archive has changed.
     *
     * @throws PostgresException if the platform is not supported or the disk is full
     */
    static Path unpack(Path home) {
        URL archive = archive();
        try {
            Path programs = home.resolve(DIRECTORY_PREFIX + fingerprint(archive));
            if (!Files.isDirectory(programs)) {
                Path unpacking = home.resolve("unpacking");
                DataDirectory.deleteTree(unpacking);
                DataDirectory.createDirectory(unpacking);
                try (InputStream in = archive.openStream()) {
                    extract(in, unpacking);
                }
                DataDirectory.rename(unpacking, programs);
                deleteOthers(home, programs);
            }
            return programs;
        } catch (IOException e) {
            throw DataDirectory.unwritable(home, e);
        }
    }

    private static URL archive() {
        String architecture = System.getProperty("os.arch", "").toLowerCase(Locale.ROOT);
        String name =
                switch (architecture) {
                    case "amd64", "x86_64" -> "x86_64";
                    case "aarch64", "arm64" -> "arm_64";
                    default -> architecture;
                };
        URL archive = null;
        if (System.getProperty("os.name", "").equals("Linux")) {
            archive = PostgresBinaries.class.getResource("/postgres-linux-" + name + ".txz");
        }
        if (archive == null) {
            throw new PostgresException("The embedded PostgreSQL is not available for this system ("
                    + System.getProperty("os.name")
                    + ", "
                    + architecture
                    + "); set database.url.");
        }
        return archive;
    }

    // the checksum in the directory of the jar identifies the archive without reading it
    private static String fingerprint(URL archive) throws IOException {
        return Long.toHexString(
                ((JarURLConnection) archive.openConnection()).getJarEntry().getCrc());
    }

    private static void extract(InputStream archive, Path into) throws IOException {
        try (TarArchiveInputStream tar =
                new TarArchiveInputStream(new XZCompressorInputStream(new BufferedInputStream(archive, 1 << 16)))) {
            TarArchiveEntry entry;
            while ((entry = tar.getNextEntry()) != null) {
                Path target = into.resolve(entry.getName()).normalize();
                Path parent = target.getParent();
                if (parent == null || !target.startsWith(into)) {
                    throw new IOException("the PostgreSQL archive contains a link to a path outside the archive");
                }
                if (entry.isDirectory()) {
                    DataDirectory.createDirectory(target);
                    continue;
                }
                DataDirectory.createDirectory(parent);
                if (entry.isSymbolicLink()) {
                    Files.createSymbolicLink(target, Path.of(entry.getLinkName()));
                } else if (!entry.getName().endsWith(".a")) {
                    boolean program = (entry.getMode() & 0100) != 0;
                    copy(tar, target, program ? "rwx------" : "rw-------");
                }
            }
        }
    }

    private static void copy(InputStream from, Path to, String mode) throws IOException {
        Files.createFile(to, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(mode)));
        try (FileChannel file = FileChannel.open(to, StandardOpenOption.WRITE)) {
            from.transferTo(Channels.newOutputStream(file));
            file.force(true);
        }
    }

    private static void deleteOthers(Path home, Path current) throws IOException {
        try (DirectoryStream<Path> all = Files.newDirectoryStream(home, DIRECTORY_PREFIX + "*")) {
            for (Path programs : all) {
                if (!programs.equals(current)) {
                    DataDirectory.deleteTree(programs);
                }
            }
        }
    }
}
