package dev.plumbline.support;

import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.plumbline.lab.FreePorts;
import dev.plumbline.lab.TestCa;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** An HTTPS server of Go's standard library, which supports X25519MLKEM768 since Go 1.24. */
public final class GoServer implements AutoCloseable {
    private static final String PROGRAM =
            """
            package main

            import (
            	"crypto/tls"
            	"net/http"
            	"os"
            )

            func main() {
            	config := &tls.Config{}
            	if os.Args[2] == "pq" {
            		config.CurvePreferences = []tls.CurveID{tls.X25519MLKEM768}
            	}
            	server := &http.Server{Addr: os.Args[1], TLSConfig: config}
            	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { w.Write([]byte("post-quantum")) })
            	panic(server.ListenAndServeTLS("chain.pem", "key.pem"))
            }
            """;

    private final ServerProcess process;
    private final int port;

    private GoServer(ServerProcess process, int port) {
        this.process = process;
        this.port = port;
    }

    /**
     * Starts a server. The test is skipped if Go is not installed.
     *
     * @param folder for the program
     * @param postQuantumOnly whether it accepts X25519MLKEM768 only
     */
    public static GoServer start(Path folder, TestCa.Identity identity, boolean postQuantumOnly)
            throws IOException, InterruptedException {
        Path go = DebianTool.ifInstalled("go");
        identity.writePem(folder);
        Path source = Files.writeString(folder.resolve("main.go"), PROGRAM);
        Process build = new ProcessBuilder(go.toString(), "build", "-o", "server", source.toString())
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("build.log").toFile())
                .start();
        if (!build.waitFor(120, TimeUnit.SECONDS) || build.exitValue() != 0) {
            build.destroyForcibly();
            String output = Files.readString(folder.resolve("build.log"));
            assumeFalse(output.contains("undefined: tls."), () -> "Go is too old: " + output);
            throw new AssertionError("go build failed: " + output);
        }
        int port = FreePorts.next();
        List<String> command = List.of(
                "sh",
                "-c",
                "cd \"$1\" && exec ./server 127.0.0.1:" + port + (postQuantumOnly ? " pq" : " all"),
                "sh",
                folder.toString());
        return new GoServer(ServerProcess.start(folder.resolve("log"), port, command), port);
    }

    public int port() {
        return port;
    }

    @Override
    public void close() {
        process.close();
    }
}
