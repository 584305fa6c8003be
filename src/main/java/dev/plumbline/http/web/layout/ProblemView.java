package dev.plumbline.http.web.layout;

import dev.plumbline.http.problem.Problem;
import java.util.List;

/**
 * The data of an error page.
 *
 * @param links pages on which the user can continue
 */
public record ProblemView(Problem problem, String requestId, List<PageLink> links) {
    static final List<PageLink> DEFAULT_LINKS =
            List.of(new PageLink("/", "Go to the home page"), new PageLink("/tools", "View all tools"));

    public record PageLink(String path, String label) {}

    /** The errors that add information to the detail of the problem. */
    public List<Problem.Fault> faults() {
        return problem.faults().stream()
                .filter(fault -> !fault.detail().equals(problem.detail()))
                .toList();
    }

    /** Whether the server caused the problem. The page then shows the request ID. */
    public boolean serverError() {
        return problem.status() >= 500;
    }
}
