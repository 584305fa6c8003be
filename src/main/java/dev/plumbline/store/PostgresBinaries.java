package dev.plumbline.store;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.net.URLConnection;
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

/** The programs of PostgreSQL, unpacked once from the archive on the class path. */
final class PostgresBinaries {
    private static final String FOLDER = "programs-";

    private PostgresBinaries() {}

    /**
     * The folder with {@code bin}, {@code lib} and {@code share}; unpacked when it is not there yet,
     * or when the archive is another one than the last time.
     *
     * @throws StoreException if this machine is none that the archives are for, or on a full disk
     */
    static Path unpack(Path home) {
        URL archive = archive();
        try {
            Path programs = home.resolve(FOLDER + fingerprint(archive));
            if (!Files.isDirectory(programs)) {
                Path half = home.resolve("unpacking");
                DataDirectory.deleteTree(half);
                DataDirectory.folder(half);
                try (InputStream in = archive.openStream()) {
                    extract(in, half);
                }
                DataDirectory.rename(half, programs);
                deleteOthers(home, programs);
            }
            return programs;
        } catch (IOException e) {
            throw DataDirectory.unwritable(home, e);
        }
    }

    private static URL archive() {
        String machine = System.getProperty("os.arch", "").toLowerCase(Locale.ROOT);
        String name =
                switch (machine) {
                    case "amd64", "x86_64" -> "x86_64";
                    case "aarch64", "arm64" -> "arm_64";
                    default -> machine;
                };
        URL found = null;
        if (System.getProperty("os.name", "").equals("Linux")) {
            found = PostgresBinaries.class.getResource("/postgres-linux-" + name + ".txz");
        }
        if (found == null) {
            throw new StoreException("There is no embedded PostgreSQL for this system ("
                    + System.getProperty("os.name")
                    + ", "
                    + machine
                    + "); set database.url.");
        }
        return found;
    }

    // The archive has no version inside; the checksum in the jar's directory costs no reading of it.
    private static String fingerprint(URL archive) throws IOException {
        URLConnection connection = archive.openConnection();
        if (connection instanceof JarURLConnection jar) {
            return Long.toHexString(jar.getJarEntry().getCrc());
        }
        return Long.toHexString(connection.getContentLengthLong());
    }

    private static void extract(InputStream archive, Path into) throws IOException {
        try (TarArchiveInputStream tar =
                new TarArchiveInputStream(new XZCompressorInputStream(new BufferedInputStream(archive, 1 << 16)))) {
            TarArchiveEntry entry;
            while ((entry = tar.getNextEntry()) != null) {
                Path target = into.resolve(entry.getName()).normalize();
                if (!target.startsWith(into)) {
                    throw new IOException("the archive of PostgreSQL points outside of itself");
                }
                if (entry.isDirectory()) {
                    DataDirectory.folder(target);
                } else if (entry.isSymbolicLink()) {
                    DataDirectory.folder(target.getParent());
                    Files.createSymbolicLink(target, Path.of(entry.getLinkName()));
                } else if (!entry.getName().endsWith(".a")) {
                    DataDirectory.folder(target.getParent());
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
        try (DirectoryStream<Path> all = Files.newDirectoryStream(home, FOLDER + "*")) {
            for (Path programs : all) {
                if (!programs.equals(current)) {
                    DataDirectory.deleteTree(programs);
                }
            }
        }
    }
}
