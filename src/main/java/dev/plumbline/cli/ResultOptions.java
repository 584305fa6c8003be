package dev.plumbline.cli;

import dev.plumbline.check.CompositePart;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.target.ExceptionMessage;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The common part of commands that read results from files and jobs. */
final class ResultOptions {
    static final String CHECK_NAME = "Use an NDJSON file or the token of a job.";

    @Option(
            names = "--module",
            paramLabel = "MODULE",
            description =
                    "Module of the results. Required for files whose lines contain neither module nor rules, for example"
                            + " those of an earlier version.")
    private @Nullable String module;

    /** A command that reads results. */
    interface Work {
        /** Returns the exit code. */
        int run(ResultLines.JobReader jobs) throws CommandException, IOException, InterruptedException;
    }

    /** Connects to the service when the first job is read. */
    private static final class LazyClient implements ResultLines.JobReader, AutoCloseable {
        private final ServerOptions server;
        private @Nullable ServiceClient connected;

        LazyClient(ServerOptions server) {
            this.server = server;
        }

        private ServiceClient client() {
            ServiceClient client = connected;
            if (client == null) {
                client = server.connect();
                connected = client;
            }
            return client;
        }

        @Override
        public JsonObject job(String token) throws CommandException, InterruptedException {
            return client().job(token, 0);
        }

        @Override
        public byte[] ndjson(String token, boolean stored) throws CommandException, InterruptedException {
            return client().lines(token, stored);
        }

        @Override
        public void close() {
            if (connected != null) {
                connected.close();
            }
        }
    }

    /** The module of {@code --module}; null if it is not given. */
    @Nullable
    String module() {
        return module;
    }

    /**
     * The module of results.
     *
     * @param parts the modules of the parts of a composite
     */
    record ResultModule(ModuleDescription description, List<ModuleDescription> parts) {
        /**
         * Loads a module.
         *
         * @param name null if it is not known
         * @throws CommandException if it is not known or does not exist
         */
        static ResultModule load(@Nullable String name) throws CommandException {
            if (name == null) {
                throw new CommandException("The module of the results is not known. Add --module MODULE.");
            }
            ModuleCatalogue modules = ModuleCatalogue.loadOnly(List.of(), name);
            ModuleDefinition<?> found = modules.find(name);
            if (found == null) {
                throw new CommandException(OptionConverters.unknownModule(name));
            }
            return new ResultModule(
                    found.description(),
                    modules.parts(name).stream().map(CompositePart::module).toList());
        }
    }

    /** Runs a command and reports why it failed. */
    static int run(ServerOptions server, Work work) {
        try (LazyClient client = new LazyClient(server)) {
            return work.run(client);
        } catch (FileSystemException unreadable) {
            return StandardError.fail(CheckCommand.INVALID, TargetReader.unreadable(unreadable, CHECK_NAME));
        } catch (StandardOutput.ClosedException | StandardOutput.FailedException reported) {
            return CheckCommand.INVALID;
        } catch (CommandException | IOException failed) {
            return StandardError.fail(CheckCommand.INVALID, ExceptionMessage.of(failed));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return CheckCommand.INVALID;
        }
    }
}
