package dev.plumbline.support;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.opentest4j.TestAbortedException;

/** A file system in memory with a limited size. Requires root. */
public final class SmallDisk implements AutoCloseable {
    private static final int BLOCK_BYTES = 4_096;

    private final Path folder;

    private SmallDisk(Path folder) {
        this.folder = folder;
    }

    /** Mounts the file system in an empty folder. The test is skipped if mounting is not permitted. */
    public static SmallDisk mount(Path folder, int mebibytes) throws IOException, InterruptedException {
        Path mount = DebianTool.require("mount");
        Process process = new ProcessBuilder(
                        mount.toString(),
                        "-t",
                        "tmpfs",
                        "-o",
                        "size=" + mebibytes + "m,mode=755",
                        "plumbline-test",
                        folder.toString())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new TestAbortedException("A tmpfs cannot be mounted: " + output.strip());
        }
        return new SmallDisk(folder);
    }

    /** Uses the free space up to the last block, except these mebibytes. */
    public void fill(int freeMebibytes) throws IOException {
        Path reserve = Files.write(folder.resolve("reserve"), new byte[freeMebibytes << 20]);
        fill();
        Files.delete(reserve);
    }

    private void fill() throws IOException {
        byte[] block = new byte[BLOCK_BYTES];
        try (OutputStream file = Files.newOutputStream(ballast())) {
            while (true) {
                file.write(block);
            }
        } catch (IOException full) {
            if (folder.toFile().getUsableSpace() > 0) {
                throw full;
            }
        }
    }

    /** Frees the space that {@link #fill} used. */
    public void free() throws IOException {
        Files.delete(ballast());
    }

    private Path ballast() {
        return folder.resolve("ballast");
    }

    @Override
    public void close() throws IOException, InterruptedException {
        // lazily: a process that is ending can have open files
        new ProcessBuilder("umount", "-l", folder.toString())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
    }
}
