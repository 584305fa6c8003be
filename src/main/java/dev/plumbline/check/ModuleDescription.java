package dev.plumbline.check;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The declaration of a module. The tools list, the web pages, the CSV header, the command line and the contract tests
 * use it.
 *
 * @param module the identifier, for example {@code http-status}
 * @param defaultPort the port of a {@code host_port} target without port; 0 for other inputs
 * @param schemes the schemes of a {@code url} target, the default first; empty for other inputs
 * @param reachability whether an unreachable target is a {@code fail} instead of an {@code error}
 * @param defaultFor the types of input that this module checks if no module was selected
 */
public record ModuleDescription(
        String module,
        String title,
        String summary,
        String category,
        InputType input,
        int defaultPort,
        List<String> schemes,
        String example,
        String placeholder,
        List<OptionDescription> options,
        List<FieldDescription> fields,
        List<FindingCode> findings,
        Headline headline,
        boolean reachability,
        List<InputType> defaultFor) {

    public static final String TIMEOUT_MS = "timeout_ms";
    public static final String IP_VERSION = "ip_version";
    public static final String RESOLVER = "resolver";

    /** The option with the address to connect to instead of the addresses of the target, in canonical form. */
    public static final String CONNECT_TO = "connect_to";

    /** The option that all jobs have in addition to those of the module. Instant checks reject it. */
    public static final OptionDescription FRESH = OptionDescription.bool(
            "fresh", "Bypass cache", "Do not use cached results. Available for jobs only.", false);

    /** Returns the option with this name, or null. */
    public @Nullable OptionDescription option(String name) {
        for (OptionDescription option : options) {
            if (option.name().equals(name)) {
                return option;
            }
        }
        return null;
    }

    /**
     * The options that all modules have after their own.
     *
     * @param resolvers the values of the option {@code resolver} besides the default one; null to omit the option
     */
    public static List<OptionDescription> commonOptions(@Nullable Collection<String> resolvers, boolean connects) {
        List<OptionDescription> options = new ArrayList<>();
        options.add(OptionDescription.integer(
                TIMEOUT_MS, "Timeout", "Time limit for the entire check in milliseconds.", 10_000, 1_000, 30_000));
        if (resolvers != null) {
            String[] names =
                    Stream.concat(Stream.of("default"), resolvers.stream()).toArray(String[]::new);
            options.add(OptionDescription.choice(RESOLVER, "Resolver", "DNS resolver to use.", names));
        }
        if (connects) {
            options.add(OptionDescription.choice(
                    IP_VERSION, "IP version", "Connect over IPv4 (4), IPv6 (6), or either (auto).", "auto", "4", "6"));
        }
        return options;
    }
}
