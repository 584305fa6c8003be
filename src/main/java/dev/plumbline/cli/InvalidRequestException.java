package dev.plumbline.cli;

import java.util.List;

/** The service rejected a request with status 422. */
final class InvalidRequestException extends CommandException {
    private static final long serialVersionUID = 1;

    private final List<String> pointers;

    /** @param pointers the JSON pointers (RFC 6901) of the invalid members of the body */
    InvalidRequestException(String message, List<String> pointers) {
        super(message);
        this.pointers = List.copyOf(pointers);
    }

    List<String> pointers() {
        return pointers;
    }
}
