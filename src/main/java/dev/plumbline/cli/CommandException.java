package dev.plumbline.cli;

/** A command cannot be executed. The message is one sentence for the user. */
final class CommandException extends Exception {
    private static final long serialVersionUID = 1;

    CommandException(String message) {
        super(message);
    }
}
