package dev.plumbline.http.web;

import dev.plumbline.http.Problem;
import java.util.List;

/** A problem as its page shows it. */
public record ProblemView(Problem problem, String requestId) {

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
