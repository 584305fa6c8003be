package dev.plumbline.account;

/** The queue of password hashes is full. The operation can be retried. */
public final class HashingQueueFullException extends RuntimeException {
    HashingQueueFullException(String message) {
        super(message, null, false, false);
    }
}
