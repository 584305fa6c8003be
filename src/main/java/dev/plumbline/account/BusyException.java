package dev.plumbline.account;

/** Too much of a costly kind is asked for at once; nothing was done, and later it can be. */
public final class BusyException extends RuntimeException {
  BusyException(String message) {
    super(message, null, false, false);
  }
}
