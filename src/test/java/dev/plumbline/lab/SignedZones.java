package dev.plumbline.lab;

import java.util.ArrayList;
import java.util.List;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Record;
import org.xbill.DNS.Type;

/** Signed zones, and the responses that a resolver which does not validate returns for them. */
public final class SignedZones {
    private final List<SignedZone> zones = new ArrayList<>();

    public SignedZones(SignedZone... zones) {
        this.zones.addAll(List.of(zones));
    }

    public SignedZones add(SignedZone zone) {
        zones.add(zone);
        return this;
    }

    /** The response to a query. The zone of the parent contains the DS records of a zone. */
    public Message respond(Message query) {
        Record question = query.getQuestion();
        SignedZone authority = null;
        for (SignedZone zone : zones) {
            boolean parentOnly = question.getType() == Type.DS
                    && zone.apex().equals(question.getName())
                    && !zone.apex().equals(Name.root);
            if (question.getName().subdomain(zone.apex())
                    && !parentOnly
                    && (authority == null
                            || zone.apex().labels() > authority.apex().labels())) {
                authority = zone;
            }
        }
        if (authority == null) {
            throw new IllegalArgumentException("no zone for " + question.getName());
        }
        return authority.respond(query);
    }

    public Message respond(Name name, int type) {
        return respond(Message.newQuery(Record.newRecord(name, type, DClass.IN)));
    }
}
