package dev.plumbline.probe.dns;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;

/**
 * The response of one server to one query. Its records are not filtered, see {@link NameserverProbe#requirePublic}.
 *
 * @param message complete, not truncated
 * @param responseMs the duration of the exchange in milliseconds
 */
public record NameserverResponse(Message message, double responseMs) {

    /** Whether the AA bit is set (RFC 1035 section 4.1.1). */
    public boolean authoritative() {
        return message.getHeader().getFlag(Flags.AA);
    }

    /** Whether the RA bit is set. */
    public boolean recursionAvailable() {
        return message.getHeader().getFlag(Flags.RA);
    }

    /** A constant of {@link Rcode}. */
    public int rcode() {
        return message.getRcode();
    }

    public boolean nxdomain() {
        return rcode() == Rcode.NXDOMAIN;
    }

    /** Whether the response code is NOERROR. */
    public boolean succeeded() {
        return rcode() == Rcode.NOERROR;
    }

    /** The records of the answer section with this owner and type. */
    public List<Record> answers(Name owner, int type) {
        return records(Section.ANSWER, owner, type);
    }

    /**
     * The records of a section.
     *
     * @param section a constant of {@link Section}
     * @param owner null for any
     */
    public List<Record> records(int section, @Nullable Name owner, int type) {
        return message.getSection(section).stream()
                .filter(record -> record.getType() == type
                        && (owner == null || record.getName().equals(owner)))
                .toList();
    }
}
