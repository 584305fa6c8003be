package dev.plumbline.bench;

/** A reference program of a row is not installed. */
final class MissingProgramException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    MissingProgramException(String whatAndWhence) {
        super("needs " + whatAndWhence, null, false, false);
    }
}
