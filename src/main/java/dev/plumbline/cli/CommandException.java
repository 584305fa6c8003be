package dev.plumbline.cli;

/** A command failed. The message is printed on stderr: what happened, and what to do. */
class CommandException extends Exception {
    private static final long serialVersionUID = 1;

    CommandException(String message) {
        super(message);
    }
}
