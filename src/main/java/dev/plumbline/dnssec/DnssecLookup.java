package dev.plumbline.dnssec;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.RRSIGRecord;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;

/**
 * A validated lookup: queries the records of a name, its chain of trust and, if requested, the targets of its CNAME
 * records. The caller sends the queries of {@link #next} and passes the responses to {@link #accept}.
 */
public final class DnssecLookup {
    /** The maximum length of a CNAME chain. */
    private static final int MAX_ALIASES = 8;

    private final DnssecValidator validator;
    private final int type;
    private final boolean followAliases;
    private final List<ZoneTrust> zones = new ArrayList<>();
    private final List<ValidatedAnswer> answers = new ArrayList<>();
    private @Nullable Name current;
    private @Nullable Message response;
    private @Nullable ChainOfTrust chain;

    /** @param type a constant of {@link org.xbill.DNS.Type} */
    public DnssecLookup(DnssecValidator validator, Name name, int type, boolean followAliases) {
        this.validator = validator;
        this.type = type;
        this.followAliases = followAliases;
        this.current = name;
    }

    /** The next query; null if the lookup is complete. */
    public @Nullable DnssecQuery next() {
        while (current != null) {
            if (chain == null) {
                return new DnssecQuery(current, type);
            }
            DnssecQuery query = chain.next();
            if (query != null) {
                return query;
            }
            complete(current, chain);
        }
        return null;
    }

    /** Validates the response to the query that {@link #next} returned. */
    public void accept(Message message) {
        if (chain != null) {
            chain.accept(message);
        } else if (current != null) {
            response = message;
            chain = new ChainOfTrust(validator, zone(current, message));
        }
    }

    public DnssecResult result() {
        return new DnssecResult(List.copyOf(zones), List.copyOf(answers));
    }

    private void complete(Name name, ChainOfTrust finished) {
        ValidatedAnswer answer =
                validator.answer(finished.last(), name, type, Objects.requireNonNull(response, "response"));
        if (answers.isEmpty()) {
            zones.addAll(finished.zones());
        }
        answers.add(answer);
        Name alias = followAliases && answers.size() <= MAX_ALIASES ? answer.alias() : null;
        boolean loop = alias != null
                && answers.stream().anyMatch(previous -> previous.name().equals(alias));
        current = loop ? null : alias;
        chain = null;
    }

    /**
     * The zone of a name according to the signatures of a response. Without signatures, the name itself: the chain then
     * ends at the zone that is not signed. A forged zone name only makes the response bogus.
     */
    private static Name zone(Name name, Message response) {
        for (int section : List.of(Section.ANSWER, Section.AUTHORITY)) {
            for (Record record : response.getSection(section)) {
                if (record instanceof RRSIGRecord signature && name.subdomain(signature.getSigner())) {
                    return signature.getSigner();
                }
            }
        }
        return name;
    }
}
