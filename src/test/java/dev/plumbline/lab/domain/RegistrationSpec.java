package dev.plumbline.lab.domain;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The registration of a domain of the lab. Each method changes this object. */
public final class RegistrationSpec {
    private final String domain;
    private final List<String> statuses = new ArrayList<>(List.of("client transfer prohibited"));
    private Instant expires = Instant.now().plus(400, ChronoUnit.DAYS);
    private @Nullable List<String> nameservers;

    RegistrationSpec(String domain) {
        this.domain = domain;
    }

    public RegistrationSpec expires(Instant time) {
        expires = time.truncatedTo(ChronoUnit.SECONDS);
        return this;
    }

    /** @param status an RDAP status, for example {@code client hold} */
    public RegistrationSpec status(String status) {
        statuses.add(status);
        return this;
    }

    /** Lists other nameservers than those of the delegation. */
    public RegistrationSpec nameservers(List<String> hosts) {
        nameservers = hosts;
        return this;
    }

    /** The RDAP object (RFC 9083). */
    JsonObject rdap(ZoneSpec zone) {
        List<String> hosts = nameservers != null
                ? nameservers
                : zone.delegation().stream().map(label -> label + "." + domain).toList();
        JsonArray listed = new JsonArray();
        hosts.forEach(host ->
                listed.add(new JsonObject().put("objectClassName", "nameserver").put("ldhName", host)));
        boolean signed = zone.dnssec() != ZoneSpec.Dnssec.NOT_SIGNED && zone.dnssec() != ZoneSpec.Dnssec.DS_MISSING;
        return new JsonObject()
                .put("objectClassName", "domain")
                .put("ldhName", domain)
                .put("status", new JsonArray(statuses))
                .put("entities", new JsonArray().add(registrar()))
                .put(
                        "events",
                        new JsonArray()
                                .add(event("registration", Instant.parse("2015-08-14T04:00:00Z")))
                                .add(event("expiration", expires)))
                .put("secureDNS", new JsonObject().put("delegationSigned", signed))
                .put("nameservers", listed);
    }

    private static JsonObject event(String action, Instant time) {
        return new JsonObject().put("eventAction", action).put("eventDate", time.toString());
    }

    private static JsonObject registrar() {
        JsonArray properties = new JsonArray()
                .add(new JsonArray()
                        .add("version")
                        .add(new JsonObject())
                        .add("text")
                        .add("4.0"))
                .add(new JsonArray().add("fn").add(new JsonObject()).add("text").add("Lab Registrar"));
        return new JsonObject()
                .put("objectClassName", "entity")
                .put("handle", "1")
                .put("roles", new JsonArray().add("registrar"))
                .put("vcardArray", new JsonArray().add("vcard").add(properties));
    }
}
