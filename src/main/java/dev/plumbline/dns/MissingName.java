package dev.plumbline.dns;

import org.xbill.DNS.Name;

/**
 * A name that does not exist according to the nameservers of a zone: NXDOMAIN with the SOA record of an enclosing zone
 * (RFC 2308 section 2.1). A resolver that blocks a name omits this record, or returns that of another zone.
 *
 * @param zone the zone that would contain or delegate the name
 */
public record MissingName(Name name, Name zone) {

    /** In lower case, without the trailing dot. */
    public String text() {
        return DnsResolver.text(name);
    }
}
