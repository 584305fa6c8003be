package dev.plumbline.policy;

/**
 * An expression that cannot be used. The message names the position and the problem. It does not have a stack trace,
 * because it is cached.
 */
public final class InvalidExpressionException extends Exception {
    private final int line;
    private final int column;
    private final String problem;

    /**
     * @param line from 1
     * @param column in characters, from 1
     * @param problem a sentence
     */
    InvalidExpressionException(int line, int column, String problem) {
        super((line == 1 ? "Column " : "Line " + line + ", column ") + column + ": " + problem, null, false, false);
        this.line = line;
        this.column = column;
        this.problem = problem;
    }

    public int line() {
        return line;
    }

    public int column() {
        return column;
    }

    /** The problem without the position. */
    public String problem() {
        return problem;
    }
}
