package dev.plumbline.cli;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * {@code plumbline lab}: starts the test lab. Its classes are in a separate jar, to which the manifest refers, because
 * the service does not need them.
 */
@Command(
        name = "lab",
        description = {
            "Starts HTTP, TLS, DNS, mail and registry servers on loopback for load tests, including malicious ones.",
            "Prints each target with the expected result (TSV: module, target, expectation) and runs until it is"
                    + " stopped. DIR/environment contains the settings for a service that uses these servers."
        },
        mixinStandardHelpOptions = true,
        footerHeading = "%nExit codes:%n",
        footer = {"  1  error, see stderr", "  4  invalid usage"})
public final class LabCommand implements Callable<Integer> {
    private static final int FAILURE = 1;

    /** The test lab needs at most 200 ports from the base, and an ordinary user cannot use those below 1024. */
    private static final int MIN_BASE = 1_024;

    private static final int MAX_BASE = 65_336;

    @Option(
            names = "--port-base",
            paramLabel = "PORT",
            description = "First of 200 ports, 1024 to 65336 (default: ${DEFAULT-VALUE}). Each server has the same port"
                    + " after each start. 0 = free ports.")
    private int portBase = 20_000;

    @Option(
            names = "--dir",
            paramLabel = "DIR",
            description = "Directory for the settings and the root certificate (default: ${DEFAULT-VALUE}).")
    private Path directory = Path.of("plumbline-lab");

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public Integer call() throws ReflectiveOperationException {
        if (portBase != 0 && (portBase < MIN_BASE || portBase > MAX_BASE)) {
            throw new ParameterException(
                    spec.commandLine(),
                    "Invalid value for option '--port-base': must be 0 or from " + MIN_BASE + " to " + MAX_BASE
                            + ", not " + portBase);
        }
        Class<?> lab;
        try {
            lab = Class.forName("dev.plumbline.lab.Lab");
        } catch (ClassNotFoundException missing) {
            return StandardError.fail(
                    FAILURE,
                    "The test lab is not installed. Copy plumbline-lab.jar from the directory lib of"
                            + " plumbline-VERSION.tar.gz to the directory of plumbline.jar.");
        }
        try {
            lab.getMethod("main", String[].class)
                    .invoke(null, (Object) new String[] {directory.toString(), Integer.toString(portBase)});
        } catch (InvocationTargetException failed) {
            if (failed.getCause() instanceof IOException unusable) {
                return StandardError.fail(FAILURE, String.valueOf(unusable.getMessage()));
            }
            throw failed;
        }
        return 0;
    }
}
