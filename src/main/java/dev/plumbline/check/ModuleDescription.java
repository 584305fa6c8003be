package dev.plumbline.check;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The declaration of a module. The tools list, the web pages, the CSV header, the command line and
 * the contract tests use it.
 *
 * @param module the identifier, for example {@code http-status}
 * @param defaultPort the port of a {@code host_port} target without port; 0 for other inputs
 * @param schemes the schemes of a {@code url} target, the default first; empty for other inputs
 * @param reachability whether an unreachable target is a {@code fail} instead of an {@code error}
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
        boolean reachability) {

    public static final String TIMEOUT_MS = "timeout_ms";
    public static final String IP_VERSION = "ip_version";
    public static final String RESOLVER = "resolver";

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

    /** Returns a description whose option {@code resolver} also has these values. */
    public ModuleDescription withResolvers(Collection<String> resolvers) {
        if (resolvers.isEmpty() || option(RESOLVER) == null) {
            return this;
        }
        return new ModuleDescription(
                module,
                title,
                summary,
                category,
                input,
                defaultPort,
                schemes,
                example,
                placeholder,
                options.stream()
                        .map(o -> o.name().equals(RESOLVER) ? resolverOption(resolvers) : o)
                        .toList(),
                fields,
                findings,
                reachability);
    }

    private static OptionDescription resolverOption(Collection<String> names) {
        List<String> all = new ArrayList<>(List.of("default"));
        all.addAll(names);
        return OptionDescription.choice(RESOLVER, "Resolver", "DNS resolver to use.", all.toArray(new String[0]));
    }

    public static Builder of(String module, String title, InputType input) {
        return new Builder(module, title, input);
    }

    /** Builds a description. {@link #build()} adds the common options. */
    public static final class Builder {
        private final String module;
        private final String title;
        private final InputType input;
        private String summary = "";
        private String category = "";
        private int defaultPort;
        private List<String> schemes;
        private String example = "example.com";
        private String placeholder = "example.com";
        private boolean reachability;
        private boolean connects;
        private boolean resolver;
        private final List<OptionDescription> options = new ArrayList<>();
        private final List<FieldDescription> fields = new ArrayList<>();
        private final List<FindingCode> findings = new ArrayList<>();

        private Builder(String module, String title, InputType input) {
            this.module = module;
            this.title = title;
            this.input = input;
            this.schemes = input == InputType.URL ? List.of("https", "http") : List.of();
        }

        public Builder summary(String text) {
            summary = text;
            return this;
        }

        /** One of web, tls, dns, mail, registry, network. */
        public Builder category(String name) {
            category = name;
            return this;
        }

        public Builder defaultPort(int port) {
            defaultPort = port;
            return this;
        }

        public Builder schemes(String... names) {
            schemes = List.of(names);
            return this;
        }

        public Builder example(String example, String placeholder) {
            this.example = example;
            this.placeholder = placeholder;
            return this;
        }

        /** Marks a module that tests whether the target is reachable. */
        public Builder reachability() {
            reachability = true;
            return this;
        }

        /** Adds the option {@code ip_version}, for modules that connect to the target. */
        public Builder connects() {
            connects = true;
            return this;
        }

        /** Adds the option {@code resolver}, for modules that evaluate DNS records. */
        public Builder resolver() {
            resolver = true;
            return this;
        }

        public Builder options(OptionDescription... more) {
            options.addAll(List.of(more));
            return this;
        }

        public Builder fields(FieldDescription... more) {
            fields.addAll(List.of(more));
            return this;
        }

        public Builder findings(FindingCode... more) {
            findings.addAll(List.of(more));
            return this;
        }

        public ModuleDescription build() {
            options.add(OptionDescription.integer(
                    TIMEOUT_MS, "Timeout", "Time limit of the whole check in milliseconds.", 10_000, 1_000, 30_000));
            if (resolver) {
                options.add(resolverOption(List.of()));
            }
            if (connects) {
                options.add(OptionDescription.choice(
                        IP_VERSION,
                        "IP version",
                        "Connect over IPv4 (4), IPv6 (6), or either (auto).",
                        "auto",
                        "4",
                        "6"));
            }
            return new ModuleDescription(
                    module,
                    title,
                    summary,
                    category,
                    input,
                    defaultPort,
                    schemes,
                    example,
                    placeholder,
                    List.copyOf(options),
                    List.copyOf(fields),
                    List.copyOf(findings),
                    reachability);
        }
    }
}
