package dev.plumbline.dns;

import dev.plumbline.check.CheckFailure;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.target.IpAddressText;
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
 * Follows the CNAME chain of a name through one or more responses (RFC 1034 section 3.6.2, RFC 2308). Only records
 * whose owner is on the chain count. A DNAME record counts through the CNAME record that a server synthesizes from it
 * (RFC 6672 section 3.1).
 */
public final class CnameChain {
    /** The maximum length of a CNAME chain. */
    public static final int MAX_ALIASES = 8;

    private static final long MAX_TTL_SECONDS = 3600;
    private static final long MAX_NEGATIVE_TTL_SECONDS = 60;

    private final Name name;
    private final int type;
    private final List<CNAMERecord> chain = new ArrayList<>(2);
    private Name current;
    private long ttl = MAX_TTL_SECONDS;
    private final long startNanos = System.nanoTime();

    CnameChain(Name name, int type) {
        this.name = name;
        this.type = type;
        this.current = name;
    }

    /**
     * The records in the response of one server, without further queries for the target of an alias.
     *
     * @throws CheckFailure {@code dns_servfail} as {@link #follow} does
     */
    public static DnsResponse of(Name name, int type, Message message, double responseMs) throws CheckFailure {
        CnameChain chain = new CnameChain(name, type);
        DnsResponse response = chain.follow(message);
        return (response == null ? chain.response(message, Rcode.NOERROR, List.of(), 0) : response)
                .withResponseMs(responseMs);
    }

    /** The targets of the aliases so far. */
    List<Name> targets() {
        return targets(chain);
    }

    /** The targets of the CNAME records, in order. */
    static List<Name> targets(List<? extends Record> records) {
        return records.stream()
                .filter(CNAMERecord.class::isInstance)
                .map(record -> ((CNAMERecord) record).getTarget())
                .toList();
    }

    int type() {
        return type;
    }

    /** The name to query next. */
    Name current() {
        return current;
    }

    /**
     * Follows the chain through a response to the query for {@link #current()}.
     *
     * @return null if the chain ends at an alias that needs its own query
     * @throws CheckFailure {@code dns_servfail} for a loop, a chain that is too long, or a response that does not match
     *     the query
     */
    @Nullable
    DnsResponse follow(Message message) throws CheckFailure {
        int rcode = message.getRcode();
        if (rcode != Rcode.NOERROR && rcode != Rcode.NXDOMAIN) {
            return response(message, rcode, List.of(), 0);
        }
        List<Record> answers = message.getSection(Section.ANSWER);
        Name queried = current;
        while (true) {
            List<Record> records = matching(answers, type);
            if (!records.isEmpty()) {
                records.forEach(record -> ttl = Math.min(ttl, record.getTTL()));
                return response(message, Rcode.NOERROR, records, Math.max(1, ttl));
            }
            List<Record> alias = type == Type.CNAME ? List.of() : matching(answers, Type.CNAME);
            if (alias.isEmpty()) {
                break;
            }
            addAlias((CNAMERecord) alias.get(0));
        }
        boolean nxdomain = rcode == Rcode.NXDOMAIN;
        SOARecord soa = soa(message);
        if (!nxdomain && soa == null && !current.equals(queried)) {
            return null;
        }
        if (!nxdomain && soa == null && isMismatched(message)) {
            throw new CheckFailure(ErrorCode.DNS_SERVFAIL, "The DNS response does not match the query.");
        }
        long negativeTtl = soa == null ? 0 : Math.min(soa.getTTL(), soa.getMinimum());
        return response(
                message,
                nxdomain ? Rcode.NXDOMAIN : Rcode.NOERROR,
                List.of(),
                Math.min(negativeTtl, Math.min(ttl, MAX_NEGATIVE_TTL_SECONDS)));
    }

    private void addAlias(CNAMERecord alias) throws CheckFailure {
        Name target = alias.getTarget();
        if (target.equals(name)
                || chain.stream().anyMatch(previous -> previous.getTarget().equals(target))) {
            throw new CheckFailure(ErrorCode.DNS_SERVFAIL, "The CNAME records of the name form a loop.");
        }
        if (chain.size() == MAX_ALIASES) {
            throw new CheckFailure(
                    ErrorCode.DNS_SERVFAIL, "The name has a chain of more than " + MAX_ALIASES + " CNAME records.");
        }
        ttl = Math.min(ttl, alias.getTTL());
        chain.add(alias);
        current = target;
    }

    private List<Record> matching(List<Record> answers, int recordType) {
        return answers.stream()
                .filter(answer ->
                        answer.getType() == recordType && answer.getName().equals(current))
                .toList();
    }

    /** Whether the response is about other names or is a referral. */
    private static boolean isMismatched(Message message) {
        boolean referral = !message.getHeader().getFlag(Flags.AA)
                && message.getSection(Section.AUTHORITY).stream().anyMatch(NSRecord.class::isInstance);
        return referral || !message.getSection(Section.ANSWER).isEmpty();
    }

    private static @Nullable SOARecord soa(Message message) {
        return message.getSection(Section.AUTHORITY).stream()
                .filter(SOARecord.class::isInstance)
                .map(SOARecord.class::cast)
                .findFirst()
                .orElse(null);
    }

    private DnsResponse response(Message message, int rcode, List<Record> records, long ttlSeconds) {
        return new DnsResponse(
                name,
                type,
                rcode,
                List.copyOf(chain),
                records,
                addresses(records),
                message.getHeader().getFlag(Flags.AA),
                ttlSeconds,
                rcode == Rcode.NXDOMAIN ? missing(message) : null,
                (System.nanoTime() - startNanos) / 1e6);
    }

    /** Null if the response does not contain the SOA record of a zone that encloses the name. */
    private @Nullable MissingName missing(Message message) {
        SOARecord soa = soa(message);
        return soa != null && current.subdomain(soa.getName()) ? new MissingName(current, soa.getName()) : null;
    }

    private static List<InetAddress> addresses(List<Record> records) {
        return records.stream()
                .filter(record -> record instanceof ARecord || record instanceof AAAARecord)
                .map(record -> IpAddressText.of(record.rdataToWireCanonical()))
                .toList();
    }
}
