package dev.plumbline.probe.http;

import org.jspecify.annotations.Nullable;

/**
 * The durations of an exchange, in milliseconds, without the waits of the check for limits of targets.
 *
 * @param dnsMs the address lookups
 * @param connectMs the TCP connect
 * @param tlsMs the TLS handshake; null without TLS
 * @param ttfbMs from sending the request to receiving the response header
 * @param downloadMs from the response header to the end of the body
 * @param totalMs the whole exchange, including failed connections to other addresses of the host
 */
public record HttpTimings(
        double dnsMs, double connectMs, @Nullable Double tlsMs, double ttfbMs, double downloadMs, double totalMs) {}
