package dev.plumbline.probe.registry;

import com.fasterxml.jackson.databind.JsonNode;
import dev.plumbline.target.InvalidTargetException;
import dev.plumbline.target.TargetParser;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Parses RDAP domain objects (RFC 9083 section 5.3) from untrusted servers. */
public final class RdapDomainParser {
    private RdapDomainParser() {}

    /**
     * @param name in A-labels and lower case
     * @return null if the body is not a domain object of this name
     */
    public static @Nullable RegistrationRecord read(String body, String name) {
        JsonNode domain = RdapJson.object(body, "domain");
        if (domain == null || !isNamed(domain.path("ldhName"), name) && !isNamed(domain.path("unicodeName"), name)) {
            return null;
        }
        JsonNode registrar = RdapJson.entity(domain, "registrar");
        JsonNode abuse = registrar == null ? null : RdapJson.entity(registrar, "abuse");
        abuse = abuse == null ? RdapJson.entity(domain, "abuse") : abuse;
        JsonNode signed = domain.path("secureDNS").path("delegationSigned");
        return new RegistrationRecord(
                true,
                registrar == null ? null : RdapJson.name(registrar),
                registrar == null ? null : ianaId(registrar),
                event(domain, "registration"),
                event(domain, "last changed"),
                event(domain, "expiration"),
                distinct(domain.path("status"), RdapDomainParser::status),
                distinct(domain.path("nameservers"), RdapDomainParser::nameserver),
                signed.isBoolean() ? (Boolean) signed.asBoolean() : null,
                abuse == null ? null : RegistryValueParser.email(RdapJson.property(abuse, "email")),
                complete(domain));
    }

    /** The parts that contain only values that this parser understands. */
    private static Set<RegistrationRecord.Part> complete(JsonNode domain) {
        Set<RegistrationRecord.Part> complete = EnumSet.of(RegistrationRecord.Part.STATUSES);
        boolean expiry = RdapJson.items(domain.path("events")).stream()
                .noneMatch(event -> "expiration"
                                .equalsIgnoreCase(event.path("eventAction").asText())
                        && RegistryValueParser.date(event.path("eventDate").asText()) == null);
        if (expiry) {
            complete.add(RegistrationRecord.Part.EXPIRY);
        }
        JsonNode nameservers = domain.path("nameservers");
        boolean listed =
                nameservers.isMissingNode() || nameservers.isArray() && nameservers.size() <= RdapJson.MAX_ITEMS;
        if (listed && RdapJson.items(nameservers).stream().allMatch(server -> nameserver(server) != null)) {
            complete.add(RegistrationRecord.Part.NAMESERVERS);
        }
        return complete;
    }

    /** The EPP status code of an RDAP status (RFC 8056 section 2). */
    private static @Nullable String status(JsonNode status) {
        String code = RegistryValueParser.status(status.asText());
        return "active".equalsIgnoreCase(code) ? "ok" : code;
    }

    private static @Nullable String nameserver(JsonNode server) {
        return RegistryValueParser.nameserver(server.path("ldhName").asText());
    }

    /** Compares names in A-labels or U-labels, without case. */
    private static boolean isNamed(JsonNode value, String name) {
        if (!value.isTextual()) {
            return false;
        }
        try {
            return TargetParser.domainName(value.asText()).name().equals(name);
        } catch (InvalidTargetException e) {
            return false;
        }
    }

    private static List<String> distinct(JsonNode list, Function<JsonNode, @Nullable String> parser) {
        return RdapJson.items(list).stream()
                .flatMap(item -> Stream.ofNullable(parser.apply(item)))
                .distinct()
                .toList();
    }

    private static @Nullable Instant event(JsonNode domain, String action) {
        JsonNode event = first(domain.path("events"), "eventAction", action);
        return event == null
                ? null
                : RegistryValueParser.date(event.path("eventDate").asText());
    }

    private static @Nullable Integer ianaId(JsonNode registrar) {
        JsonNode id = first(registrar.path("publicIds"), "type", "IANA Registrar ID");
        return id == null
                ? null
                : RegistryValueParser.number(id.path("identifier").asText());
    }

    private static @Nullable JsonNode first(JsonNode list, String member, String value) {
        return RdapJson.items(list).stream()
                .filter(item -> value.equalsIgnoreCase(item.path(member).asText()))
                .findFirst()
                .orElse(null);
    }
}
