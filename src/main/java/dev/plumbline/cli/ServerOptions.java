package dev.plumbline.cli;

import dev.plumbline.target.ShellWord;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.IDN;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The service of commands that use jobs, and the API key. */
final class ServerOptions {
    private static final String DEFAULT = "http://127.0.0.1:8080";
    private static final int MAX_PORT = 65_535;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec = CommandSpec.create();

    @Option(
            names = "--server",
            paramLabel = "URL",
            description = "Base URL of the service (default: PLUMBLINE_SERVER, otherwise " + DEFAULT + ").")
    private @Nullable String server;

    @Option(
            names = "--key-file",
            paramLabel = "FILE",
            description = "File that contains the API key (default: the variable PLUMBLINE_KEY).")
    private @Nullable Path keyFile;

    /** Creates a client. The key is not an option, because other users can read the arguments of a process. */
    ServiceClient connect() {
        String given = server == null ? System.getenv("PLUMBLINE_SERVER") : server;
        String url = (given == null ? DEFAULT : given).replaceAll("/+$", "");
        if (!isValid(url)) {
            throw new ParameterException(
                    spec.commandLine(), "Invalid server '" + url + "'. Use a URL such as " + DEFAULT + ".");
        }
        return new ServiceClient(url, key(), StandardError::fail);
    }

    private static boolean isValid(String url) {
        try {
            URL parsed = new URI(url).toURL();
            return url.matches("https?://[^/?#@\\s]+(/[^?#\\s]*)?")
                    && !IDN.toASCII(parsed.getHost()).isEmpty()
                    && parsed.getPort() != 0
                    && parsed.getPort() <= MAX_PORT;
        } catch (URISyntaxException | MalformedURLException | IllegalArgumentException invalid) {
            return false;
        }
    }

    /** The given options for another command, each followed by a space. */
    String arguments() {
        return (server == null ? "" : "--server " + ShellWord.quote(server) + " ")
                + (keyFile == null ? "" : "--key-file " + ShellWord.quote(keyFile.toString()) + " ");
    }

    /** @throws CommandException if the job has not finished */
    void requireFinal(JsonObject job) throws CommandException {
        if (!JobPoller.isFinal(job)) {
            throw new CommandException("Job %1$s has not finished. Run 'plumbline job watch %2$s%1$s' first."
                    .formatted(job.getString("token"), arguments()));
        }
    }

    private String key() {
        String key = System.getenv("PLUMBLINE_KEY");
        if (keyFile != null) {
            try {
                key = Files.readString(keyFile);
            } catch (IOException unreadable) {
                throw new ParameterException(
                        spec.commandLine(), "Key file '" + keyFile + "' cannot be read. Check --key-file.");
            }
        }
        if (key == null || !key.strip().matches("[!-~]+")) {
            throw new ParameterException(
                    spec.commandLine(),
                    "API key required. Set PLUMBLINE_KEY or --key-file. 'plumbline key create --email E' creates a"
                            + " key.");
        }
        return key.strip();
    }
}
