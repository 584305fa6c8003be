package dev.plumbline.policy;

import com.google.common.hash.Hashing;
import dev.plumbline.sheet.ModuleDescription;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The policies of a service: those in the resources of the program, which are read on first use, and those of the
 * operator. Thread-safe.
 */
public final class PolicyCatalogue {
    private final PolicyReader reader;
    private final Map<String, Entry> own;
    private final Map<String, Entry> builtIn = new ConcurrentHashMap<>();

    /**
     * A policy.
     *
     * @param digest a hash of its file
     */
    public record Entry(Policy policy, String digest) {
        static Entry of(Policy policy, String yaml) {
            return new Entry(
                    policy,
                    Hashing.sha256().hashString(yaml, StandardCharsets.UTF_8).toString());
        }
    }

    private PolicyCatalogue(PolicyReader reader, Map<String, Entry> own) {
        this.reader = reader;
        this.own = own;
    }

    /**
     * Reads the policies of the operator.
     *
     * @param folder its files with the extensions {@code .yaml} and {@code .yml} are policies; null for none
     * @param modules finds a module by its name
     * @param programs the cache of compiled expressions
     * @throws InvalidPolicyException if a file is not a valid policy, or if two policies have the same name
     * @throws IOException if a file cannot be read
     */
    public static PolicyCatalogue load(
            @Nullable Path folder, Function<String, @Nullable ModuleDescription> modules, ExpressionPrograms programs)
            throws InvalidPolicyException, IOException {
        PolicyReader reader = new PolicyReader(modules, programs);
        Map<String, Entry> own = new TreeMap<>();
        for (Path file : folder == null ? List.<Path>of() : files(folder)) {
            String name = file.toString();
            String yaml = PolicyReader.content(file);
            Policy policy = reader.read(name, yaml);
            if (BuiltInPolicies.names().contains(policy.name())) {
                throw new InvalidPolicyException(
                        name, 1, "The name '" + policy.name() + "' is that of a built-in policy. Use another name.");
            }
            if (own.put(policy.name(), Entry.of(policy, yaml)) != null) {
                throw new InvalidPolicyException(
                        name, 1, "Another file has a policy with the name '" + policy.name() + "'. Use another name.");
            }
        }
        return new PolicyCatalogue(reader, own);
    }

    private static List<Path> files(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(file -> file.toString().matches(".*\\.ya?ml"))
                    .sorted()
                    .toList();
        }
    }

    /** The names of all policies, sorted. */
    public List<String> names() {
        List<String> names = new ArrayList<>(own.keySet());
        names.addAll(BuiltInPolicies.names());
        names.sort(null);
        return names;
    }

    /**
     * Whether there is a policy with this name that applies to a module. Those of the program are not read for this:
     * each version of the program keeps their modules.
     *
     * @param module null if it no longer exists
     */
    public boolean applies(String name, @Nullable ModuleDescription module) {
        Entry known = own.get(name);
        return known == null
                ? BuiltInPolicies.names().contains(name)
                : module != null && known.policy().appliesTo(module);
    }

    /**
     * Returns a policy; null if there is none with this name. The first call for a built-in policy compiles its rules,
     * which takes up to half a second.
     */
    public @Nullable Entry find(String name) {
        Entry known = own.get(name);
        return known == null && BuiltInPolicies.names().contains(name)
                ? builtIn.computeIfAbsent(name, this::readBuiltIn)
                : known;
    }

    /** The {@link Entry#digest} of a policy that has been read; null for another one, or if it does not exist. */
    public @Nullable String digest(String name) {
        Entry known = own.getOrDefault(name, builtIn.get(name));
        return known == null ? null : known.digest();
    }

    private Entry readBuiltIn(String name) {
        String yaml = Objects.requireNonNull(BuiltInPolicies.yaml(name));
        try {
            return Entry.of(reader.read(name, yaml), yaml);
        } catch (InvalidPolicyException invalid) {
            throw new IllegalStateException(invalid);
        }
    }
}
