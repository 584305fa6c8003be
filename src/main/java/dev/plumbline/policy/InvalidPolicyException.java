package dev.plumbline.policy;

/** A policy file that cannot be used. The message contains the file, the line and the cause. */
public final class InvalidPolicyException extends Exception {
    /**
     * @param line from 1
     * @param problem a sentence
     */
    InvalidPolicyException(String file, int line, String problem) {
        super(file + ":" + line + ": " + problem);
    }
}
