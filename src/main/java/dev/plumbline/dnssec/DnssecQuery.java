package dev.plumbline.dnssec;

import org.xbill.DNS.Name;

/**
 * A query whose response is needed for validation.
 *
 * @param type a constant of {@link org.xbill.DNS.Type}
 */
public record DnssecQuery(Name name, int type) {}
