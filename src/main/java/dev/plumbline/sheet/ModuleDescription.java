package dev.plumbline.sheet;

import dev.plumbline.target.InputType;
import dev.plumbline.target.TargetRules;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The declaration of a module. The tools list, the web pages, the CSV header, the command line and the contract tests
 * use it.
 *
 * @param module the identifier, for example {@code http-status}
 * @param version of the rules, from 1: of what the module collects and how it evaluates it
 * @param defaultPort the port of a {@code host_port} target without port; 0 for other inputs
 * @param schemes the schemes of a {@code url} target, the default first; empty for other inputs
 * @param reachability whether an unreachable target is a {@code fail} instead of an {@code error}
 * @param defaultFor the types of input that this module checks if no module was selected
 * @param areas the titles of the areas of a composite module by identifier, in order; empty for other modules
 * @param partOf the area of this module in each composite module of which it is a part
 * @param partFields the names of the fields that composite modules keep of this part
 */
public record ModuleDescription(
        String module,
        String title,
        String summary,
        String category,
        int version,
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
        List<InputType> defaultFor,
        Map<String, String> areas,
        Map<String, String> partOf,
        List<String> partFields)
        implements TargetRules {

    public static final String TIMEOUT_MS = "timeout_ms";
    public static final String IP_VERSION = "ip_version";
    public static final String RESOLVER = "resolver";

    /** The option with the host to connect to instead of the host of the target, in canonical form. */
    public static final String CONNECT_TO = "connect_to";

    /** The option that all jobs have in addition to those of the module. Instant checks reject it. */
    public static final OptionDescription FRESH = OptionDescription.bool(
            "fresh", "Bypass cache", "Do not use cached results. Available for jobs only.", false);

    private static final long TIMEOUT_DEFAULT_MS = 10_000;
    private static final long TIMEOUT_MAX_MS = 30_000;

    /** The member {@code rules} of results: the module and the version of its rules, for example {@code hsts/3}. */
    public String rules() {
        return module + "/" + version;
    }

    /** Whether the module runs other modules as its parts. */
    public boolean composite() {
        return !areas.isEmpty();
    }

    /** The form of the targets of a check with these options, which can determine the default port. */
    public TargetRules targetRules(Options given) {
        for (OptionDescription option : options) {
            Integer port = option.ports().isEmpty() ? null : option.ports().get(given.text(option.name()));
            if (port != null && port != defaultPort) {
                return new TargetsWithPort(this, port);
            }
        }
        return this;
    }

    /**
     * Targets with another default port. Their text contains the port, so that it means the same without the options.
     */
    private record TargetsWithPort(ModuleDescription module, int defaultPort) implements TargetRules {
        @Override
        public InputType input() {
            return module.input();
        }

        @Override
        public int omittedPort() {
            return 0;
        }

        @Override
        public List<String> schemes() {
            return module.schemes();
        }
    }

    /** Returns the option with this name, or null. */
    public @Nullable OptionDescription option(String name) {
        for (OptionDescription option : options) {
            if (option.name().equals(name)) {
                return option;
            }
        }
        return null;
    }

    /** Returns the option of a job with this name, or null. */
    public @Nullable OptionDescription jobOption(String name) {
        return name.equals(FRESH.name()) ? FRESH : option(name);
    }

    /** The declaration of a finding; null if it does not exist, for example in a stored result. */
    public @Nullable FindingCode finding(String code) {
        for (FindingCode finding : findings) {
            if (finding.code().equals(code)) {
                return finding;
            }
        }
        return null;
    }

    /**
     * The options that all modules have after their own.
     *
     * @param resolvers the values of the resolver option besides the default one; null to omit the option
     * @param connectTo whether the module has the option {@link #CONNECT_TO}
     * @param composite whether the module runs other modules, which takes longer
     */
    public static List<OptionDescription> commonOptions(
            @Nullable Collection<String> resolvers, boolean connectTo, boolean connects, boolean composite) {
        List<OptionDescription> options = new ArrayList<>();
        if (connectTo) {
            options.add(OptionDescription.host(
                    CONNECT_TO,
                    "Connect to",
                    "The IP address or hostname to connect to instead of the target, for example to check a new server or a CDN"
                            + " before the DNS records change. The port, SNI and the Host header do not change."
                            + " Requests to other hosts use DNS."));
        }
        options.add(OptionDescription.integer(
                TIMEOUT_MS,
                "Timeout",
                "Time limit for the entire check in milliseconds.",
                composite ? TIMEOUT_MAX_MS : TIMEOUT_DEFAULT_MS,
                1_000,
                TIMEOUT_MAX_MS));
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
