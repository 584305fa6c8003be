package dev.plumbline.result;

/**
 * A rate or concurrency limit of a target that delays checks.
 *
 * @param targetAddress the limited address, network, registrable domain, registry server or host
 * @param limit the value of the limit, for example {@code 20 connections per second}
 * @param setting the name of the setting
 * @param perSecond the rate; 0 if the limit is a concurrency limit
 */
public record TargetLimit(String targetAddress, String limit, String setting, int perSecond) {
    /** What a limit counts. */
    public enum Type {
        /** Operations per second. */
        RATE,
        /** Concurrent operations. */
        CONCURRENCY
    }

    /** For messages: {@code 20 connections per second to 192.0.2.7}. */
    @Override
    public String toString() {
        return limit + " to " + targetAddress;
    }
}
