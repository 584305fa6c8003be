package dev.plumbline.cli;

import dev.plumbline.policy.BuiltInPolicies;
import dev.plumbline.policy.ExpressionPrograms;
import dev.plumbline.policy.InvalidPolicyException;
import dev.plumbline.policy.Policy;
import dev.plumbline.policy.PolicyReader;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.target.ClosestName;
import dev.plumbline.target.ExceptionMessage;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads policies from files and from the resources of the program. */
final class PolicyFile {
    private final Map<String, ModuleDescription> modules = new HashMap<>();

    /**
     * Reads a policy.
     *
     * @param fileOrName a file, or the name of a built-in policy
     * @throws CommandException if it does not exist or is not valid
     */
    Policy read(String fileOrName) throws CommandException {
        String builtIn = BuiltInPolicies.yaml(fileOrName);
        String yaml = builtIn == null ? readFile(fileOrName) : builtIn;
        try {
            return new PolicyReader(this::module, new ExpressionPrograms()).read(fileOrName, yaml);
        } catch (InvalidPolicyException invalid) {
            throw new CommandException(ExceptionMessage.of(invalid));
        }
    }

    private static String readFile(String name) throws CommandException {
        try {
            return PolicyReader.content(Path.of(name));
        } catch (NoSuchFileException | InvalidPathException missing) {
            throw new CommandException("The policy '" + name + "' does not exist."
                    + ClosestName.suggestion(name, BuiltInPolicies.names()) + " Use a file, or a built-in policy: "
                    + String.join(", ", BuiltInPolicies.names()) + ".");
        } catch (FileSystemException unreadable) {
            throw new CommandException(TargetReader.unreadable(unreadable, "Use a readable file."));
        } catch (IOException unreadable) {
            throw new CommandException("The policy '" + name + "' cannot be read: " + ExceptionMessage.of(unreadable));
        }
    }

    /** Loads only the modules that the policy names; null if there is none with this name. */
    @Nullable
    ModuleDescription module(String name) {
        return modules.computeIfAbsent(name, JobOptions::module);
    }
}
