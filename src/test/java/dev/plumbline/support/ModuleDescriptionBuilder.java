package dev.plumbline.support;

import dev.plumbline.sheet.FieldDescription;
import dev.plumbline.sheet.FindingCode;
import dev.plumbline.sheet.Headline;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.sheet.OptionDescription;
import dev.plumbline.target.InputType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Builds a description. {@link #build()} adds the common options. */
public final class ModuleDescriptionBuilder {
    private final String module;
    private final String title;
    private final InputType input;
    private String summary = "";
    private String category = "";
    private int version = 1;
    private int defaultPort;
    private List<String> schemes;
    private String example = "example.com";
    private String placeholder = "example.com";
    private boolean reachability;
    private boolean connects;
    private @Nullable List<String> resolvers;
    private List<InputType> defaultFor = List.of();
    private final Map<String, String> areas = new LinkedHashMap<>();
    private final Map<String, String> partOf = new LinkedHashMap<>();
    private List<String> partFields = List.of();
    private final List<OptionDescription> options = new ArrayList<>();
    private final List<FieldDescription> fields = new ArrayList<>();
    private final List<FindingCode> findings = new ArrayList<>();

    private ModuleDescriptionBuilder(String module, String title, InputType input) {
        this.module = module;
        this.title = title;
        this.input = input;
        this.schemes = input == InputType.URL ? List.of("https", "http") : List.of();
    }

    public static ModuleDescriptionBuilder of(String module, String title, InputType input) {
        return new ModuleDescriptionBuilder(module, title, input);
    }

    public ModuleDescriptionBuilder summary(String text) {
        summary = text;
        return this;
    }

    /** One of web, tls, dns, mail, registry, network. */
    public ModuleDescriptionBuilder category(String name) {
        category = name;
        return this;
    }

    /** The version of the rules, initially 1. */
    public ModuleDescriptionBuilder version(int number) {
        version = number;
        return this;
    }

    public ModuleDescriptionBuilder defaultPort(int port) {
        defaultPort = port;
        return this;
    }

    public ModuleDescriptionBuilder schemes(String... names) {
        schemes = List.of(names);
        return this;
    }

    public ModuleDescriptionBuilder example(String example, String placeholder) {
        this.example = example;
        this.placeholder = placeholder;
        return this;
    }

    /** Marks a module that tests whether the target is reachable. */
    public ModuleDescriptionBuilder reachability() {
        reachability = true;
        return this;
    }

    /** Checks inputs of these types if no module was selected. */
    public ModuleDescriptionBuilder defaultFor(InputType... types) {
        defaultFor = List.of(types);
        return this;
    }

    /** Adds an area, which makes the module a composite. */
    public ModuleDescriptionBuilder area(String area, String title) {
        areas.put(area, title);
        return this;
    }

    /** Makes the module a part of a composite. */
    public ModuleDescriptionBuilder partOf(String composite, String area) {
        partOf.put(composite, area);
        return this;
    }

    /** The fields that composites keep. */
    public ModuleDescriptionBuilder partFields(String... names) {
        partFields = List.of(names);
        return this;
    }

    /** Adds the option {@code ip_version}, for modules that connect to the target. */
    public ModuleDescriptionBuilder connects() {
        connects = true;
        return this;
    }

    /**
     * Adds the option {@code resolver} with these values besides the default one, for modules that evaluate DNS
     * records.
     */
    public ModuleDescriptionBuilder resolvers(String... names) {
        resolvers = List.of(names);
        return this;
    }

    public ModuleDescriptionBuilder options(OptionDescription... more) {
        options.addAll(List.of(more));
        return this;
    }

    public ModuleDescriptionBuilder fields(FieldDescription... more) {
        fields.addAll(List.of(more));
        return this;
    }

    public ModuleDescriptionBuilder findings(FindingCode... more) {
        findings.addAll(List.of(more));
        return this;
    }

    public ModuleDescription build() {
        options.addAll(ModuleDescription.commonOptions(resolvers, false, connects, !areas.isEmpty()));
        return new ModuleDescription(
                module,
                title,
                summary,
                category,
                version,
                input,
                defaultPort,
                schemes,
                example,
                placeholder,
                List.copyOf(options),
                List.copyOf(fields),
                List.copyOf(findings),
                Headline.none(),
                reachability,
                List.copyOf(defaultFor),
                areas,
                partOf,
                partFields);
    }
}
