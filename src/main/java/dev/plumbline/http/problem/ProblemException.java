package dev.plumbline.http.problem;

import io.vertx.core.Future;

/** A failure that is sent to the client as a problem. Has no stack trace. */
public final class ProblemException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Problem problem;

    public ProblemException(Problem problem) {
        super(problem.detail(), null, false, false);
        this.problem = problem;
    }

    public static <T> Future<T> failed(Problem problem) {
        return Future.failedFuture(new ProblemException(problem));
    }

    public Problem problem() {
        return problem;
    }
}
