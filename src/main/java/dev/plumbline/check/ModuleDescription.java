package dev.plumbline.check;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All that a person or a client needs to know of a module: the tools list, the web pages, the CSV
 * header, the terminal command and the contract tests are built from it.
 *
 * @param module the identifier, for example {@code http-status}
 * @param defaultPort the port of a {@code host_port} target that names none; 0 for other inputs
 * @param schemes the schemes of a {@code url} target, the default first; empty for other inputs
 * @param reachability whether a target that cannot be reached is a {@code fail} (else {@code
 *     error})
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

    /** The option that every job has beside those of its module; instant checks refuse it. */
    public static final OptionDescription FRESH = OptionDescription.bool(
            "fresh",
            "Fresh results",
            "Run every check anew, even where a result is known that is young enough. For jobs only.",
            false);

    /** The option that is declared under this name, or null. */
    public @Nullable OptionDescription option(String name) {
        for (OptionDescription option : options) {
            if (option.name().equals(name)) {
                return option;
            }
        }
        return null;
    }

    /** The same module, where people may choose among these resolvers besides the default one. */
    public ModuleDescription choosing(Collection<String> resolvers) {
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
                        .map(o -> o.name().equals(RESOLVER) ? resolver(resolvers) : o)
                        .toList(),
                fields,
                findings,
                reachability);
    }

    private static OptionDescription resolver(Collection<String> names) {
        List<String> all = new ArrayList<>(List.of("default"));
        all.addAll(names);
        return OptionDescription.choice(
                RESOLVER, "Resolver", "Which of this service's DNS resolvers is asked.", all.toArray(new String[0]));
    }

    public static Builder of(String module, String title, InputType input) {
        return new Builder(module, title, input);
    }

    /** Gathers a description; {@link #build()} adds the options that every module has. */
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
        private boolean asksTheDns;
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

        /** Marks a module whose question is whether the target can be reached at all. */
        public Builder aboutReachability() {
            reachability = true;
            return this;
        }

        /** Marks a module that connects to its target, which gives it the option ip_version. */
        public Builder connects() {
            connects = true;
            return this;
        }

        /** Marks a module that judges what the DNS says, which gives it the option resolver. */
        public Builder asksTheDns() {
            asksTheDns = true;
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
                    TIMEOUT_MS,
                    "Time limit",
                    "How long the whole check may take, in milliseconds.",
                    10_000,
                    1_000,
                    30_000));
            if (asksTheDns) {
                options.add(resolver(List.of()));
            }
            if (connects) {
                options.add(OptionDescription.choice(
                        IP_VERSION,
                        "IP version",
                        "Connect over IPv4 (4), over IPv6 (6), or over whichever works (auto).",
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
