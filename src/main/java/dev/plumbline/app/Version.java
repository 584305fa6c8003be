package dev.plumbline.app;

import picocli.CommandLine;

/** The version in the manifest of the jar; {@code dev} if the program runs from classes. */
public final class Version implements CommandLine.IVersionProvider {
    public static String text() {
        String version = Version.class.getPackage().getImplementationVersion();
        return version == null ? "dev" : version;
    }

    @Override
    public String[] getVersion() {
        return new String[] {"plumbline " + text()};
    }
}
