package dev.plumbline.account;

/** Too much of a costly kind is asked for at once; nothing was done, and later it can be. */
public final class HashingQueueFullException extends RuntimeException {
    HashingQueueFullException(String message) {
        super(message, null, false, false);
    }
}
