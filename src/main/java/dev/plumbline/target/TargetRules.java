package dev.plumbline.target;

import java.util.List;

/** The form of the targets of a module. */
public interface TargetRules {
    InputType input();

    /** The port of a {@code host_port} target without port; 0 for other inputs. */
    int defaultPort();

    /** The port that the normalized text of a {@code host_port} target omits; 0 if it always contains the port. */
    default int omittedPort() {
        return defaultPort();
    }

    /** The schemes of a {@code url} target, the default first; empty for other inputs. */
    List<String> schemes();
}
