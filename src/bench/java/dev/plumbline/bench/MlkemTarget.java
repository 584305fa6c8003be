package dev.plumbline.bench;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** A website in Go with the key exchange X25519MLKEM768, which Plumbline and browsers offer. */
final class MlkemTarget implements AutoCloseable {
    private static final String SOURCE = "mlkem-target.go";

    private final ChildProcess child;
    private final String address;

    private MlkemTarget(ChildProcess child, String address) {
        this.child = child;
        this.address = address;
    }

    /** @param nginx whose certificate it uses */
    static MlkemTarget start(Path parent, NginxTarget nginx) throws IOException, InterruptedException {
        String go = ProgramFinder.requireOfGo("go", "the Go toolchain, 1.24 or newer");
        Path folder = Files.createDirectory(parent.resolve("mlkem"));
        Path source = folder.resolve(SOURCE);
        try (InputStream resource = MlkemTarget.class.getResourceAsStream("/bench/" + SOURCE)) {
            Files.copy(Objects.requireNonNull(resource, SOURCE), source);
        }
        Path program = folder.resolve("mlkem-target");
        File log = folder.resolve("build.log").toFile();
        if (ProgramRun.of(List.of(go, "build", "-o", program.toString(), source.toString()), log)
                        .exitCode()
                != 0) {
            throw new MissingProgramException("Go 1.24 or newer");
        }
        int port = ServiceUnderLoad.freePort();
        String address = "127.0.0.1:" + port;
        Path certificate = nginx.leaf();
        ChildProcess child = ChildProcess.start(
                "mlkem",
                folder,
                List.of(
                        program.toString(),
                        address,
                        certificate.toString(),
                        certificate.resolveSibling("key.pem").toString()),
                Map.of());
        try {
            child.awaitPort(port, 10);
        } catch (IOException | InterruptedException failed) {
            child.close();
            throw failed;
        }
        return new MlkemTarget(child, address);
    }

    /** The host and the port. */
    String address() {
        return address;
    }

    @Override
    public void close() {
        child.close();
    }
}
