package dev.plumbline.target;

import java.util.List;

/** The form of the targets of a module. */
public interface TargetRules {
    InputType input();

    /** The port of a {@code host_port} target without port; 0 for other inputs. */
    int defaultPort();

    /** The schemes of a {@code url} target, the default first; empty for other inputs. */
    List<String> schemes();
}
