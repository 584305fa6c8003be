package dev.plumbline.http.web.layout;

import dev.plumbline.http.problem.Problem;
import java.util.List;

/**
 * A problem as its page shows it.
 *
 * @param ways where to go from there, the likeliest first
 */
public record ProblemView(Problem problem, String requestId, List<LinkView> ways) {
    /** From wherever there is nothing nearer. */
    static final List<LinkView> ANYWHERE =
            List.of(new LinkView("/", "Check something"), new LinkView("/tools", "See all tools"));

    /**
     * Where to go.
     *
     * @param path of ours
     */
    public record LinkView(String path, String label) {}

    /** The faults that say more than the problem itself does. */
    public List<Problem.Fault> faults() {
        return problem.faults().stream()
                .filter(fault -> !fault.detail().equals(problem.detail()))
                .toList();
    }

    /** Whether the fault is on our side, so that the id of the request helps whoever looks for it. */
    public boolean ours() {
        return problem.status() >= 500;
    }
}
