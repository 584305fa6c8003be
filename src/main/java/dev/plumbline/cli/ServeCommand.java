package dev.plumbline.cli;

import dev.plumbline.app.Service;
import dev.plumbline.app.StartException;
import dev.plumbline.config.Config;
import dev.plumbline.config.ConfigException;
import dev.plumbline.ops.LogConfiguration;
import dev.plumbline.target.ExceptionMessage;
import java.io.IOException;
import java.net.ServerSocket;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code plumbline serve}: runs the service until it receives SIGTERM. */
@Command(
        name = "serve",
        description = "Runs the service. Prints 'ready URL' when it accepts requests.",
        mixinStandardHelpOptions = true)
public final class ServeCommand implements Callable<Integer> {
    static final int CANNOT_START = 1;

    private static final Logger LOG = LoggerFactory.getLogger(ServeCommand.class);

    @Mixin
    private ConfigOption config = new ConfigOption();

    @Override
    public Integer call() {
        return serve(config);
    }

    public static int serve(ConfigOption option) {
        try {
            Config config = load(option);
            LogConfiguration.configure(config.log());
            Service service = Service.start(config, ServeCommand::printCredential);
            CountDownLatch stopped = new CountDownLatch(1);
            Runtime.getRuntime()
                    .addShutdownHook(new Thread(
                            () -> {
                                LOG.info("stopping");
                                service.stop();
                                LOG.info("stopped");
                                LogConfiguration.flush();
                                stopped.countDown();
                                // a requested stop is not a failure: exit code 0 instead of 143
                                Runtime.getRuntime().halt(0);
                            },
                            "stop"));
            System.out.println("ready " + service.address());
            stopped.await();
            return 0;
        } catch (ConfigException invalid) {
            StandardError.println("plumbline cannot start. The configuration is not valid:");
            ExceptionMessage.of(invalid).lines().forEach(line -> StandardError.println("  " + line));
            return CANNOT_START;
        } catch (StartException failed) {
            LOG.atDebug().setCause(failed).log("start failed");
            LogConfiguration.flush();
            StandardError.println("plumbline cannot start: " + failed.getMessage());
            return CANNOT_START;
        } catch (RuntimeException fault) {
            // the message may contain a setting, such as a password
            StackTraceElement[] trace = fault.getStackTrace();
            LogConfiguration.flush();
            StandardError.println("plumbline cannot start: internal error, "
                    + fault.getClass().getSimpleName()
                    + (trace.length > 0 ? " at " + trace[0] : ""));
            return CANNOT_START;
        } catch (IOException noPort) {
            StandardError.println("plumbline cannot start: no free port");
            return CANNOT_START;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return CANNOT_START;
        }
    }

    /** Fails if stdout is closed or its disk is full, so that no account with unknown credentials is created. */
    private static void printCredential(String line) {
        System.out.println(line);
        if (System.out.checkError()) {
            throw new IllegalStateException("stdout cannot be written");
        }
    }

    /** Replaces port 0 by a free port, since links contain the port. */
    private static Config load(ConfigOption option) throws ConfigException, IOException {
        Config config = option.load();
        if (config.http().port() != 0 && config.management().port() != 0) {
            return config;
        }
        Map<String, String> ports = new HashMap<>();
        try (ServerSocket http = new ServerSocket(0);
                ServerSocket management = new ServerSocket(0)) {
            if (config.http().port() == 0) {
                ports.put("http.port", Integer.toString(http.getLocalPort()));
            }
            if (config.management().port() == 0) {
                ports.put("management.port", Integer.toString(management.getLocalPort()));
            }
        }
        return option.load(ports);
    }
}
