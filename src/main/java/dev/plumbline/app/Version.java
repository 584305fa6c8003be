package dev.plumbline.app;

import picocli.CommandLine;

/** The version that the jar's manifest names; {@code dev} when run from classes. */
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
