package dev.plumbline.account;

/** Too many expensive operations are queued. Nothing was done; the caller can retry. */
public final class HashingQueueFullException extends RuntimeException {
    HashingQueueFullException(String message) {
        super(message, null, false, false);
    }
}
