package dev.plumbline.bench;

/** A program that a row compares with is not installed. */
final class MissingProgramException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    MissingProgramException(String whatAndWhence) {
        super("needs " + whatAndWhence, null, false, false);
    }
}
