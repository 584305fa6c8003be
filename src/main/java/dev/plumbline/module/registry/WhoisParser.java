package dev.plumbline.module.registry;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads what WHOIS says of a domain. There is no standard for it: registries write lines of a key
 * and a value, headings with indented lines below, or keys in brackets, and each has its words.
 */
final class WhoisParser {
    private static final int MOST_LINES = 3_000;
    private static final int MOST_LINE = 1_000;
    private static final int MOST_VALUES = 100;
    private static final int MOST_KEY = 60;

    private static final List<String> REGISTRAR =
            List.of("registrar", "registrar name", "sponsoring registrar", "registrar organization");
    private static final List<String> IANA_ID = List.of("registrar iana id");
    private static final List<String> CREATED = List.of(
            "creation date",
            "created",
            "created on",
            "created date",
            "registered on",
            "registered date",
            "registered",
            "registration date",
            "registration time",
            "domain registration date",
            "domain record activated");
    private static final List<String> UPDATED = List.of(
            "updated date",
            "last updated",
            "last updated on",
            "last update",
            "last-update",
            "last modified",
            "modified",
            "changed",
            "updated",
            "domain record last updated");
    private static final List<String> EXPIRES = List.of(
            "registry expiry date",
            "registrar registration expiration date",
            "expiry date",
            "expiration date",
            "expiration time",
            "expire date",
            "expires",
            "expires on",
            "expire",
            "exp date",
            "paid-till",
            "renewal date",
            "valid until",
            "validity",
            "domain expires");
    private static final List<String> STATUS =
            List.of("domain status", "status", "state", "eppstatus", "registration status");
    private static final List<String> NAMESERVERS = List.of(
            "name server",
            "name servers",
            "nserver",
            "nservers",
            "nameserver",
            "nameservers",
            "domain nameservers",
            "domain servers",
            "dns");
    private static final List<String> DNSSEC = List.of("dnssec", "dnssec signed", "signed");
    private static final List<String> DNSSEC_KEYS = List.of(
            "dnskey",
            "ds-record",
            "ds-rdata",
            "dsrecord",
            "ds record",
            "key1-tag",
            "keytag",
            "signing key",
            "ds key tag 1");
    private static final List<String> ABUSE =
            List.of("registrar abuse contact email", "abuse contact email", "abuse-email", "abuse email");

    /** Where what follows is told of people, who have dates and states of their own. */
    private static final Set<String> PEOPLE = Set.of(
            "nic-hdl",
            "nic-hdl-br",
            "contact",
            "person",
            "role",
            "registrant",
            "admin",
            "tech",
            "tech-c",
            "zone-c",
            "contact information");

    /** What stands below a heading and is what the heading says. */
    private static final Set<String> NAMES = Set.of("name", "organization", "organisation");

    /** States of a domain that nobody has. */
    private static final Set<String> FREE = Set.of("available", "free", "not registered");

    private static final Pattern NOT_REGISTERED = Pattern.compile(
            "^\\W*+(?:no match\\b|not found\\b|no entries found|no data found|no object found|no found\\b"
                    + "|nothing found|no (?:information|data) was found|no information available about domain"
                    + "|domain (?:name )?not found|object does not exist"
                    + "|the queried object does not exist|this query returned 0 objects|no such domain"
                    + "|(?:domain )?status:\\s*(?:free|available)\\b|available\\b"
                    + "|.{0,80}\\b(?:is available for|is free\\b|is not registered|has not been registered"
                    + "|does not exist|no entries found|not been registered|(?:was )?not found))",
            Pattern.CASE_INSENSITIVE);
    private static final Pattern TURNED_AWAY = Pattern.compile(
            "limit exceeded|exceeded (?:the|your|allowed|maximum)|too many (?:requests|queries|connections)|"
                    + "query rate|rate limit|quota|access (?:control|denied)|try again later|temporarily"
                    + " (?:denied|blocked)|blacklisted",
            Pattern.CASE_INSENSITIVE);
    private static final Pattern FILLING = Pattern.compile("[.\\s]++$");
    private static final int TURNED_AWAY_WITHIN = 1_000;

    private final Map<String, List<String>> values = new LinkedHashMap<>();
    private final String text;

    private WhoisParser(String text) {
        this.text = text;
        gather();
    }

    /** What it says; {@link RegistrationRecord#UNKNOWN} when it says nothing that is understood. */
    static RegistrationRecord read(String text) {
        return new WhoisParser(text).registration();
    }

    /** Whether it is no answer but a request to ask less often. */
    static boolean turnsAway(String text) {
        return read(text).registered() == null
                && text.length() <= TURNED_AWAY_WITHIN
                && TURNED_AWAY.matcher(text).find();
    }

    private RegistrationRecord registration() {
        List<String> nameservers = all(NAMESERVERS, RegistryValueParser::nameserver);
        List<String> statuses = all(STATUS, RegistryValueParser::status);
        Instant created = one(CREATED, RegistryValueParser::date);
        Instant expires = one(EXPIRES, RegistryValueParser::date);
        String registrar = one(REGISTRAR, WhoisParser::registrar);
        boolean known = created != null || expires != null || registrar != null || !nameservers.isEmpty();
        boolean saidFree = !statuses.isEmpty() && FREE.containsAll(statuses);
        if (!known && (saidFree || text.lines().limit(MOST_LINES).anyMatch(WhoisParser::saysNo))) {
            return RegistrationRecord.NONE;
        }
        if (!known && statuses.isEmpty()) {
            return RegistrationRecord.UNKNOWN;
        }
        return new RegistrationRecord(
                true,
                registrar,
                one(IANA_ID, RegistryValueParser::number),
                created,
                one(UPDATED, RegistryValueParser::date),
                expires,
                statuses,
                nameservers,
                signed(),
                one(ABUSE, RegistryValueParser::email));
    }

    private static boolean saysNo(String line) {
        return line.length() <= MOST_LINE && NOT_REGISTERED.matcher(line).find();
    }

    private static @Nullable String registrar(String value) {
        String plain = RegistryValueParser.value(value);
        int tag = plain == null ? -1 : plain.indexOf(" [Tag = ");
        return plain != null && tag > 0 ? plain.substring(0, tag) : plain;
    }

    private @Nullable Boolean signed() {
        if (!all(DNSSEC_KEYS, RegistryValueParser::value).isEmpty()) {
            return true;
        }
        String word = one(DNSSEC, RegistryValueParser::value);
        if (word == null) {
            return null;
        }
        String plain = word.toLowerCase(Locale.ROOT);
        if (plain.startsWith("unsigned") || plain.startsWith("not signed") || plain.startsWith("no")) {
            return false;
        }
        boolean yes = plain.startsWith("signed") || plain.startsWith("yes") || plain.startsWith("active");
        return yes ? Boolean.TRUE : null;
    }

    private <T> @Nullable T one(List<String> keys, Function<String, @Nullable T> reader) {
        for (String key : keys) {
            for (String value : values.getOrDefault(key, List.of())) {
                T read = reader.apply(value);
                if (read != null) {
                    return read;
                }
            }
        }
        return null;
    }

    private List<String> all(List<String> keys, Function<String, @Nullable String> reader) {
        Set<String> read = new LinkedHashSet<>();
        for (String key : keys) {
            for (String value : values.getOrDefault(key, List.of())) {
                String each = reader.apply(value);
                if (each != null) {
                    read.add(each);
                }
            }
        }
        return List.copyOf(read);
    }

    private void gather() {
        String heading = null;
        boolean people = false;
        List<String> lines = text.lines().limit(MOST_LINES).toList();
        for (String line : lines) {
            String plain = line.strip();
            if (plain.length() > MOST_LINE || plain.startsWith("%") || plain.startsWith("#")) {
                continue;
            }
            if (plain.isEmpty()) {
                heading = null;
                continue;
            }
            if (plain.startsWith(">>>")) {
                return;
            }
            String key = key(plain);
            boolean indented = Character.isWhitespace(line.charAt(0));
            if (key == null) {
                if (!indented && plain.length() <= MOST_KEY) {
                    heading = plain.toLowerCase(Locale.ROOT);
                    people = PEOPLE.contains(heading) || people && !isAboutTheDomain(heading);
                } else if (heading != null && !people) {
                    put(heading, plain);
                }
                continue;
            }
            String value = value(plain);
            if (PEOPLE.contains(key)) {
                people = true;
            } else if (!indented || value.isEmpty()) {
                people &= !isAboutTheDomain(key);
            }
            if (value.isEmpty()) {
                heading = key;
            } else if (indented && heading != null && NAMES.contains(key) && !people) {
                put(heading, value);
            } else if (!people) {
                heading = indented ? heading : null;
                put(key, value);
            }
        }
    }

    /** Headings that end what was told of people. */
    private static boolean isAboutTheDomain(String key) {
        return REGISTRAR.contains(key) || NAMESERVERS.contains(key) || DNSSEC.contains(key);
    }

    private void put(String key, String value) {
        List<String> known = values.computeIfAbsent(key, none -> new ArrayList<>());
        if (known.size() < MOST_VALUES) {
            known.add(value);
        }
    }

    /**
     * The key of {@code key: value}, {@code [key] value} or {@code a. [key] value}; null for none.
     */
    private static @Nullable String key(String line) {
        int open = line.indexOf('[');
        int close = line.indexOf(']');
        if (open >= 0 && open <= 3 && close > open && close - open <= MOST_KEY) {
            return line.substring(open + 1, close).strip().toLowerCase(Locale.ROOT);
        }
        int colon = line.indexOf(':');
        if (colon <= 0 || colon > MOST_KEY) {
            return null;
        }
        boolean value = colon + 1 == line.length() || !Character.isLetterOrDigit(line.charAt(colon + 1));
        boolean tight = colon < 30 && line.charAt(colon - 1) != '/' && !line.startsWith("http");
        String key = FILLING.matcher(line.substring(0, colon)).replaceFirst("");
        // with a dot inside it is a name and perhaps an address of IPv6
        return (value || tight) && !key.isEmpty() && key.indexOf('.') < 0 ? key.toLowerCase(Locale.ROOT) : null;
    }

    private static String value(String line) {
        int close = line.indexOf(']');
        int open = line.indexOf('[');
        boolean brackets = open >= 0 && open <= 3 && close > open && close - open <= MOST_KEY;
        return line.substring((brackets ? close : line.indexOf(':')) + 1).strip();
    }
}
