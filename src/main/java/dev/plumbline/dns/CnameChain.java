package dev.plumbline.dns;

import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.ErrorCode;
import dev.plumbline.check.IpAddressText;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.AAAARecord;
import org.xbill.DNS.ARecord;
import org.xbill.DNS.CNAMERecord;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.NSRecord;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.SOARecord;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

/**
 * Follows a name's aliases through one answer after the other (RFC 1034 §3.6.2, RFC 2308). Only
 * records whose owner stands on the way count; DNAME is left to the CNAME that a server makes of it
 * (RFC 6672 §3.1).
 */
public final class CnameChain {
    /** The most aliases that are followed. */
    public static final int MOST_ALIASES = 8;

    private static final long MOST_TTL = 3600;
    private static final long MOST_DENIAL_TTL = 60;

    private final Name question;
    private final int type;
    private final List<CNAMERecord> way = new ArrayList<>(2);
    private Name current;
    private long ttl = MOST_TTL;
    private boolean authenticated = true;
    private final long startNanos = System.nanoTime();

    CnameChain(Name question, int type) {
        this.question = question;
        this.type = type;
        this.current = question;
    }

    int type() {
        return type;
    }

    /** The name to ask for next. */
    Name current() {
        return current;
    }

    /**
     * Takes an answer to the question for {@link #current()}. Null when it ends at an alias that has
     * to be asked for by itself.
     */
    @Nullable
    DnsResponse follow(Message message) throws CheckFailure {
        authenticated &= message.getHeader().getFlag(Flags.AD);
        int rcode = message.getRcode();
        if (rcode != Rcode.NOERROR && rcode != Rcode.NXDOMAIN) {
            return end(message, rcode, List.of(), 0);
        }
        List<Record> answers = message.getSection(Section.ANSWER);
        Name asked = current;
        while (true) {
            List<Record> wanted = owned(answers, type);
            if (!wanted.isEmpty()) {
                wanted.forEach(found -> ttl = Math.min(ttl, found.getTTL()));
                return end(message, Rcode.NOERROR, wanted, Math.max(1, ttl));
            }
            List<Record> alias = type == Type.CNAME ? List.of() : owned(answers, Type.CNAME);
            if (alias.isEmpty()) {
                break;
            }
            step((CNAMERecord) alias.get(0));
        }
        boolean denied = rcode == Rcode.NXDOMAIN;
        SOARecord soa = soa(message);
        if (!denied && soa == null && !current.equals(asked)) {
            return null;
        }
        if (!denied && soa == null && current.equals(asked) && isForeign(message)) {
            throw new CheckFailure(ErrorCode.DNS_SERVFAIL, "The DNS response does not match the query.");
        }
        long keep = soa == null ? 0 : Math.min(soa.getTTL(), soa.getMinimum());
        return end(
                message,
                denied ? Rcode.NXDOMAIN : Rcode.NOERROR,
                List.of(),
                Math.min(keep, Math.min(ttl, MOST_DENIAL_TTL)));
    }

    private void step(CNAMERecord alias) throws CheckFailure {
        Name target = alias.getTarget();
        if (target.equals(question)
                || way.stream().anyMatch(before -> before.getTarget().equals(target))) {
            throw new CheckFailure(ErrorCode.DNS_SERVFAIL, "The CNAME records of the name form a loop.");
        }
        if (way.size() == MOST_ALIASES) {
            throw new CheckFailure(
                    ErrorCode.DNS_SERVFAIL, "The name has a chain of more than " + MOST_ALIASES + " CNAME records.");
        }
        ttl = Math.min(ttl, alias.getTTL());
        way.add(alias);
        current = target;
    }

    private List<Record> owned(List<Record> answers, int wanted) {
        List<Record> found = new ArrayList<>(answers.size());
        for (Record answer : answers) {
            if (answer.getType() == wanted && answer.getName().equals(current)) {
                found.add(answer);
            }
        }
        return found;
    }

    /** An answer about other names, or a referral: the server did not do what it was asked to do. */
    private static boolean isForeign(Message message) {
        boolean referral = !message.getHeader().getFlag(Flags.AA)
                && message.getSection(Section.AUTHORITY).stream().anyMatch(NSRecord.class::isInstance);
        return referral || !message.getSection(Section.ANSWER).isEmpty();
    }

    private static @Nullable SOARecord soa(Message message) {
        for (Record authority : message.getSection(Section.AUTHORITY)) {
            if (authority instanceof SOARecord soa) {
                return soa;
            }
        }
        return null;
    }

    private DnsResponse end(Message message, int rcode, List<Record> records, long ttlSeconds) {
        return new DnsResponse(
                question,
                type,
                rcode,
                List.copyOf(way),
                List.copyOf(records),
                addresses(records),
                message.getHeader().getFlag(Flags.AA),
                authenticated,
                ttlSeconds,
                (System.nanoTime() - startNanos) / 1e6);
    }

    private static List<InetAddress> addresses(List<Record> records) {
        List<InetAddress> addresses = new ArrayList<>(records.size());
        for (Record found : records) {
            if (found instanceof ARecord || found instanceof AAAARecord) {
                addresses.add(IpAddressText.of(found.rdataToWireCanonical()));
            }
        }
        return List.copyOf(addresses);
    }
}
