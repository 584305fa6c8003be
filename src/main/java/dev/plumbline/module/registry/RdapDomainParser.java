package dev.plumbline.module.registry;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.plumbline.check.InputType;
import dev.plumbline.check.InvalidTargetException;
import dev.plumbline.check.ModuleDescription;
import dev.plumbline.check.TargetParser;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads what RDAP says of a domain (RFC 9083, section 5.3), trusting none of it. */
final class RdapDomainParser {
    private static final int MOST_ITEMS = 100;
    private static final int MOST_DEPTH = 3;
    private static final ModuleDescription NAME = ModuleDescription.of(
                    "rdap-domain", "Domain of RDAP", InputType.DOMAIN)
            .build();
    private static final ObjectMapper MAPPER =
            new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    private RdapDomainParser() {}

    /**
     * What it says; null when it is no answer about this domain.
     *
     * @param name in lower-case A-labels
     */
    static @Nullable RegistrationRecord read(String body, String name) {
        JsonNode domain;
        try {
            domain = MAPPER.readTree(body);
        } catch (JsonProcessingException broken) {
            return null;
        }
        boolean known = domain.isObject()
                && "domain".equalsIgnoreCase(domain.path("objectClassName").asText("domain"))
                && (isNamed(domain.path("ldhName"), name) || isNamed(domain.path("unicodeName"), name));
        if (!known) {
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
                statuses(domain),
                nameservers(domain),
                signed.isBoolean() ? (Boolean) signed.asBoolean() : null,
                abuse == null ? null : RegistryValueParser.email(property(abuse, "email")));
    }

    /** Whether it is the same name, in whatever case, in A-labels or U-labels. */
    private static boolean isNamed(JsonNode written, String name) {
        if (!written.isTextual()) {
            return false;
        }
        try {
            return TargetParser.parse(NAME, written.asText()).text().equals(name);
        } catch (InvalidTargetException none) {
            return false;
        }
    }

    private static List<JsonNode> items(JsonNode list) {
        List<JsonNode> items = new ArrayList<>();
        if (list.isArray()) {
            for (int i = 0; i < Math.min(list.size(), MOST_ITEMS); i++) {
                items.add(list.get(i));
            }
        }
        return items;
    }

    private static @Nullable Instant event(JsonNode domain, String action) {
        for (JsonNode event : items(domain.path("events"))) {
            if (action.equalsIgnoreCase(event.path("eventAction").asText())) {
                return RegistryValueParser.date(event.path("eventDate").asText());
            }
        }
        return null;
    }

    private static List<String> statuses(JsonNode domain) {
        Set<String> statuses = new LinkedHashSet<>();
        for (JsonNode status : items(domain.path("status"))) {
            String name = RegistryValueParser.status(status.asText());
            if (name != null) {
                statuses.add(name);
            }
        }
        return List.copyOf(statuses);
    }

    private static List<String> nameservers(JsonNode domain) {
        Set<String> names = new LinkedHashSet<>();
        for (JsonNode server : items(domain.path("nameservers"))) {
            String name = RegistryValueParser.nameserver(server.path("ldhName").asText());
            if (name != null) {
                names.add(name);
            }
        }
        return List.copyOf(names);
    }

    private static @Nullable JsonNode entity(JsonNode within, String role, int depth) {
        for (JsonNode entity : items(within.path("entities"))) {
            for (JsonNode each : items(entity.path("roles"))) {
                if (role.equalsIgnoreCase(each.asText())) {
                    return entity;
                }
            }
            JsonNode deeper = depth < MOST_DEPTH ? entity(entity, role, depth + 1) : null;
            if (deeper != null) {
                return deeper;
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

    /** The text of a property of a jCard (RFC 7095, section 3.3). */
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
