package dev.plumbline.probe.http;

import org.jspecify.annotations.Nullable;

/**
 * How long each part of an exchange took, in milliseconds with a fraction.
 *
 * @param dnsMs until the addresses of the host were known
 * @param connectMs until the TCP connection stood, from its start
 * @param tlsMs until the TLS handshake had ended, from its start; null without TLS
 * @param ttfbMs from the request's sending to the head of its answer
 * @param downloadMs from the head to the end of what was read
 * @param totalMs from the very beginning to the end of what was read, waiting for our turn included
 */
public record HttpTimings(
        double dnsMs, double connectMs, @Nullable Double tlsMs, double ttfbMs, double downloadMs, double totalMs) {}
