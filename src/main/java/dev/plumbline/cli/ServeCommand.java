package dev.plumbline.cli;

import dev.plumbline.app.Service;
import dev.plumbline.app.StartException;
import dev.plumbline.app.Version;
import dev.plumbline.config.Config;
import dev.plumbline.config.ConfigException;
import dev.plumbline.ops.LogConfiguration;
import java.io.IOException;
import java.net.ServerSocket;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Runs the service until it is told to stop. */
@Command(
        name = "serve",
        description = "Runs the service; prints one line 'ready URL' when it answers.",
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
            Config config = withPorts(option.load());
            LogConfiguration.configure(config.log());
            Service service = Service.start(config, ServeCommand::print);
            CountDownLatch stopped = new CountDownLatch(1);
            Runtime.getRuntime()
                    .addShutdownHook(new Thread(
                            () -> {
                                LOG.info("stopping");
                                service.stop();
                                LOG.info("stopped");
                                LogConfiguration.flush();
                                stopped.countDown();
                                // who asked it to stop got what they asked for, which is no failure
                                Runtime.getRuntime().halt(0);
                            },
                            "stop"));
            LOG.atInfo().addKeyValue("version", Version.text()).log("started");
            print("ready " + service.address());
            stopped.await();
            return 0;
        } catch (ConfigException wrong) {
            System.err.println("plumbline cannot start, its settings are wrong:");
            String.valueOf(wrong.getMessage()).lines().forEach(line -> System.err.println("  " + line));
            return CANNOT_START;
        } catch (StartException failed) {
            LOG.atDebug().setCause(failed).log("cannot start");
            LogConfiguration.flush();
            System.err.println("plumbline cannot start: " + failed.getMessage());
            return CANNOT_START;
        } catch (RuntimeException fault) {
            // its message may repeat a setting, and a setting may be a password
            StackTraceElement[] trace = fault.getStackTrace();
            LogConfiguration.flush();
            System.err.println("plumbline cannot start: a fault of this program, "
                    + fault.getClass().getSimpleName()
                    + (trace.length > 0 ? " at " + trace[0] : ""));
            return CANNOT_START;
        } catch (IOException noPort) {
            System.err.println("plumbline cannot start: no port is free");
            return CANNOT_START;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return CANNOT_START;
        }
    }

    private static void print(String line) {
        System.out.println(line);
        System.out.flush();
    }

    /** Port 0 means any free one; which one must be known before links are made of it. */
    private static Config withPorts(Config config) throws IOException {
        Config.Http http = config.http();
        Config.Management management = config.management();
        if (http.port() != 0 && management.port() != 0) {
            return config;
        }
        try (ServerSocket one = new ServerSocket(0);
                ServerSocket two = new ServerSocket(0)) {
            return config.withPorts(
                    http.port() == 0 ? one.getLocalPort() : http.port(),
                    management.port() == 0 ? two.getLocalPort() : management.port());
        }
    }
}
