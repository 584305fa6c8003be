package dev.plumbline.probe.tls;

import java.util.List;

/**
 * What a TLS 1.3 server sends encrypted, as far as the report depends on it.
 *
 * @param groups the codes of the key exchange groups in EncryptedExtensions, by which a server informs clients of all
 *     groups that it supports (RFC 8446 section 4.2.7); empty if it sent none
 * @param tickets the number of NewSessionTicket messages
 * @param earlyData whether a ticket permits early data (RFC 8446 section 4.2.10)
 * @param complete whether the server ended its messages with close_notify and without an error
 */
record EncryptedMessages(List<Integer> groups, int tickets, boolean earlyData, boolean complete) {}
