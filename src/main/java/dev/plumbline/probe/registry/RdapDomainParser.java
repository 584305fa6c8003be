package dev.plumbline.probe.registry;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.common.collect.ImmutableList;
import com.google.common.collect.Iterables;
import dev.plumbline.check.InvalidTargetException;
import dev.plumbline.check.TargetParser;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Parses RDAP domain objects (RFC 9083 section 5.3) from untrusted servers. */
public final class RdapDomainParser {
    private static final int MAX_ITEMS = 100;
    private static final int MAX_DEPTH = 3;
    private static final ObjectMapper MAPPER =
            new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    private RdapDomainParser() {}

    /**
     * @param name in A-labels and lower case
     * @return null if the body is not a domain object of this name
     */
    public static @Nullable RegistrationRecord read(String body, String name) {
        JsonNode domain;
        try {
            domain = MAPPER.readTree(body);
        } catch (JsonProcessingException e) {
            return null;
        }
        boolean valid = domain.isObject()
                && "domain".equalsIgnoreCase(domain.path("objectClassName").asText("domain"))
                && (isNamed(domain.path("ldhName"), name) || isNamed(domain.path("unicodeName"), name));
        if (!valid) {
            return null;
        }
        JsonNode registrar = entity(domain, "registrar", 0);
        JsonNode abuse = registrar == null ? null : entity(registrar, "abuse", 0);
        abuse = abuse == null ? entity(domain, "abuse", 0) : abuse;
        JsonNode signed = domain.path("secureDNS").path("delegationSigned");
        return new RegistrationRecord(
                true,
                registrar == null ? null : name(registrar),
                registrar == null ? null : ianaId(registrar),
                event(domain, "registration"),
                event(domain, "last changed"),
                event(domain, "expiration"),
                distinct(domain.path("status"), RdapDomainParser::status),
                distinct(domain.path("nameservers"), RdapDomainParser::nameserver),
                signed.isBoolean() ? (Boolean) signed.asBoolean() : null,
                abuse == null ? null : RegistryValueParser.email(property(abuse, "email")),
                complete(domain));
    }

    /** The parts that contain only values that this parser understands. */
    private static Set<RegistrationRecord.Part> complete(JsonNode domain) {
        Set<RegistrationRecord.Part> complete = EnumSet.of(RegistrationRecord.Part.STATUSES);
        boolean expiry = items(domain.path("events")).stream()
                .noneMatch(event -> "expiration"
                                .equalsIgnoreCase(event.path("eventAction").asText())
                        && RegistryValueParser.date(event.path("eventDate").asText()) == null);
        if (expiry) {
            complete.add(RegistrationRecord.Part.EXPIRY);
        }
        JsonNode nameservers = domain.path("nameservers");
        boolean listed = nameservers.isMissingNode() || nameservers.isArray() && nameservers.size() <= MAX_ITEMS;
        if (listed && items(nameservers).stream().allMatch(server -> nameserver(server) != null)) {
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

    /** The first {@value #MAX_ITEMS} items of an array; none of another value. */
    private static List<JsonNode> items(JsonNode list) {
        return list.isArray() ? ImmutableList.copyOf(Iterables.limit(list, MAX_ITEMS)) : List.of();
    }

    private static List<String> distinct(JsonNode list, Function<JsonNode, @Nullable String> parser) {
        return items(list).stream()
                .flatMap(item -> Stream.ofNullable(parser.apply(item)))
                .distinct()
                .toList();
    }

    private static @Nullable Instant event(JsonNode domain, String action) {
        for (JsonNode event : items(domain.path("events"))) {
            if (action.equalsIgnoreCase(event.path("eventAction").asText())) {
                return RegistryValueParser.date(event.path("eventDate").asText());
            }
        }
        return null;
    }

    private static @Nullable JsonNode entity(JsonNode within, String role, int depth) {
        for (JsonNode entity : items(within.path("entities"))) {
            for (JsonNode assigned : items(entity.path("roles"))) {
                if (role.equalsIgnoreCase(assigned.asText())) {
                    return entity;
                }
            }
            JsonNode nested = depth < MAX_DEPTH ? entity(entity, role, depth + 1) : null;
            if (nested != null) {
                return nested;
            }
        }
        return null;
    }

    private static @Nullable String name(JsonNode entity) {
        String name = RegistryValueParser.value(property(entity, "fn"));
        name = name == null ? RegistryValueParser.value(property(entity, "org")) : name;
        return name == null ? RegistryValueParser.value(entity.path("handle").asText()) : name;
    }

    private static @Nullable Integer ianaId(JsonNode registrar) {
        for (JsonNode id : items(registrar.path("publicIds"))) {
            if ("IANA Registrar ID".equalsIgnoreCase(id.path("type").asText())) {
                return RegistryValueParser.number(id.path("identifier").asText());
            }
        }
        return null;
    }

    /** The text of a jCard property (RFC 7095 section 3.3). */
    private static @Nullable String property(JsonNode entity, String name) {
        for (JsonNode property : items(entity.path("vcardArray").path(1))) {
            JsonNode value = property.path(3);
            if (name.equalsIgnoreCase(property.path(0).asText()) && value.isTextual()) {
                return value.asText();
            }
        }
        return null;
    }
}
