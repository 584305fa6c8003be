package dev.plumbline.cli;

/** A request to the service failed. The message is one sentence for the user. */
final class ServiceException extends Exception {
    private static final long serialVersionUID = 1;

    ServiceException(String message) {
        super(message);
    }
}
