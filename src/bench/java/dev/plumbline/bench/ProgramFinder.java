package dev.plumbline.bench;

import dev.plumbline.support.DebianTool;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Finds the reference programs. */
final class ProgramFinder {
    private ProgramFinder() {}

    /**
     * The path of a program.
     *
     * @throws MissingProgramException with the name of the package
     */
    static String require(String program, String debianPackage) {
        String found = find(program);
        if (found == null) {
            throw new MissingProgramException("Debian package " + debianPackage);
        }
        return found;
    }

    /**
     * The path of a program that is not a Debian package.
     *
     * @param module Go module of the program
     * @throws MissingProgramException with the names of the program and its module
     */
    static String requireOfGo(String program, String module) {
        String found = find(program);
        if (found == null) {
            throw new MissingProgramException(program + " (Go module " + module + ") in the PATH");
        }
        return found;
    }

    private static @Nullable String find(String program) {
        Path path = DebianTool.find(program);
        return path == null ? null : path.toString();
    }
}
