package dev.plumbline.probe.registry;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Parses WHOIS responses about domains. Their format is not standardized: registries send lines of a key and a value,
 * headings followed by indented lines, or keys in brackets, with different keys.
 */
public final class WhoisParser {
    private static final int MAX_LINES = 3_000;
    private static final int MAX_LINE = 1_000;
    private static final int MAX_VALUES = 100;
    private static final int MAX_KEY = 60;

    private static final List<String> REGISTRAR =
            keys("registrar, registrar name, sponsoring registrar, registrar organization");
    private static final List<String> IANA_ID = keys("registrar iana id");
    private static final List<String> CREATED =
            keys("creation date, created, created on, created date, registered on, registered date, registered, "
                    + "registration date, registration time, domain registration date, domain record activated");
    private static final List<String> UPDATED =
            keys("updated date, last updated, last updated on, last update, last-update, last modified, "
                    + "modified, changed, updated, domain record last updated");
    private static final List<String> EXPIRES =
            keys("registry expiry date, registrar registration expiration date, expiry date, expiration date, "
                    + "expiration time, expire date, expires, expires on, expire, exp date, paid-till, renewal date, "
                    + "valid until, validity, domain expires");
    private static final List<String> STATUS = keys("domain status, status, state, eppstatus, registration status");
    private static final List<String> NAMESERVERS =
            keys("name server, name servers, nserver, nservers, nameserver, nameservers, domain nameservers, "
                    + "domain servers, dns");
    private static final List<String> DNSSEC = keys("dnssec, dnssec signed, signed");
    private static final List<String> DNSSEC_KEYS =
            keys("dnskey, ds-record, ds-rdata, dsrecord, ds record, key1-tag, keytag, signing key, ds key tag 1");
    private static final List<String> ABUSE =
            keys("registrar abuse contact email, abuse contact email, abuse-email, abuse email");

    /** Keys that start the data of a contact, which can have dates and statuses of its own. */
    private static final List<String> CONTACTS =
            keys("nic-hdl, nic-hdl-br, contact, person, role, registrant, admin, tech, tech-c, zone-c, "
                    + "contact information");

    /** Keys whose values below a heading are the value of the heading. */
    private static final List<String> NAMES = keys("name, organization, organisation");

    /** Statuses of a domain that is not registered. */
    private static final List<String> AVAILABLE = keys("available, free, not registered");

    private static final Pattern NOT_REGISTERED = Pattern.compile(
            "^\\W*+(?:no match\\b|not found\\b|no entries found|no data found|no object found|no found\\b"
                    + "|nothing found|no (?:information|data) was found|no information available about domain"
                    + "|domain (?:name )?not found|object does not exist"
                    + "|the queried object does not exist|this query returned 0 objects|no such domain"
                    + "|(?:domain )?status:\\s*(?:free|available)\\b|available\\b"
                    + "|.{0,80}\\b(?:is available for|is free\\b|is not registered|has not been registered"
                    + "|does not exist|no entries found|not been registered|(?:was )?not found))",
            Pattern.CASE_INSENSITIVE);
    private static final Pattern RATE_LIMIT = Pattern.compile(
            "limit exceeded|exceeded (?:the|your|allowed|maximum)|too many (?:requests|queries|connections)|"
                    + "query rate|rate limit|quota|access (?:control|denied)|try again later|temporarily"
                    + " (?:denied|blocked)|blacklisted",
            Pattern.CASE_INSENSITIVE);
    /** A key in brackets, for example {@code a. [Domain Name]}. */
    private static final Pattern BRACKETED = Pattern.compile("[^\\[\\]]{0,3}\\[([^\\]]{0,59})]");

    private static final Pattern DOT_LEADERS = Pattern.compile("[.\\s]++$");
    private static final int MAX_RATE_LIMIT_RESPONSE = 1_000;

    private final Map<String, List<String>> values = new LinkedHashMap<>();
    private final String text;

    private WhoisParser(String text) {
        this.text = text;
        parseLines();
    }

    /** {@link RegistrationRecord#UNKNOWN} if the response could not be interpreted. */
    public static RegistrationRecord read(String text) {
        return new WhoisParser(text).registration();
    }

    /** Whether the response only states that a rate limit is exceeded. */
    public static boolean isRateLimited(String text) {
        return read(text).registered() == null
                && text.length() <= MAX_RATE_LIMIT_RESPONSE
                && RATE_LIMIT.matcher(text).find();
    }

    private RegistrationRecord registration() {
        List<String> nameservers = all(NAMESERVERS, RegistryValueParser::nameserver);
        List<String> statuses = all(STATUS, RegistryValueParser::status);
        Instant created = one(CREATED, RegistryValueParser::date);
        Instant expires = one(EXPIRES, RegistryValueParser::date);
        String registrar = one(REGISTRAR, WhoisParser::registrar);
        boolean hasData = created != null || expires != null || registrar != null || !nameservers.isEmpty();
        boolean available = !statuses.isEmpty() && AVAILABLE.containsAll(statuses);
        if (!hasData && (available || text.lines().limit(MAX_LINES).anyMatch(WhoisParser::isNotRegistered))) {
            return RegistrationRecord.NOT_REGISTERED;
        }
        if (!hasData && statuses.isEmpty()) {
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
                dnssecSigned(),
                one(ABUSE, RegistryValueParser::email));
    }

    private static boolean isNotRegistered(String line) {
        return line.length() <= MAX_LINE && NOT_REGISTERED.matcher(line).find();
    }

    private static @Nullable String registrar(String value) {
        String plain = RegistryValueParser.value(value);
        int tag = plain == null ? -1 : plain.indexOf(" [Tag = ");
        return plain != null && tag > 0 ? plain.substring(0, tag) : plain;
    }

    private @Nullable Boolean dnssecSigned() {
        if (!all(DNSSEC_KEYS, RegistryValueParser::value).isEmpty()) {
            return true;
        }
        String value = one(DNSSEC, RegistryValueParser::value);
        if (value == null) {
            return null;
        }
        String plain = value.toLowerCase(Locale.ROOT);
        if (plain.startsWith("unsigned") || plain.startsWith("not signed") || plain.startsWith("no")) {
            return false;
        }
        boolean signed = plain.startsWith("signed") || plain.startsWith("yes") || plain.startsWith("active");
        return signed ? Boolean.TRUE : null;
    }

    private static List<String> keys(String list) {
        return List.of(list.split(", "));
    }

    private <T> Stream<T> stream(List<String> keys, Function<String, @Nullable T> parser) {
        return keys.stream()
                .flatMap(key -> values.getOrDefault(key, List.of()).stream())
                .flatMap(value -> Stream.ofNullable(parser.apply(value)));
    }

    /** The first value of the first of the keys that is valid. */
    private <T> @Nullable T one(List<String> keys, Function<String, @Nullable T> parser) {
        return stream(keys, parser).findFirst().orElse(null);
    }

    private List<String> all(List<String> keys, Function<String, @Nullable String> parser) {
        return stream(keys, parser).distinct().toList();
    }

    private void parseLines() {
        String heading = null;
        boolean contact = false;
        List<String> lines = text.lines().limit(MAX_LINES).toList();
        for (String line : lines) {
            String plain = line.strip();
            if (plain.length() > MAX_LINE || plain.startsWith("%") || plain.startsWith("#")) {
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
                if (!indented && plain.length() <= MAX_KEY) {
                    heading = plain.toLowerCase(Locale.ROOT);
                    contact = CONTACTS.contains(heading) || contact && !endsContact(heading);
                } else if (heading != null && !contact) {
                    put(heading, plain);
                }
                continue;
            }
            String value = value(plain);
            if (CONTACTS.contains(key)) {
                contact = true;
            } else if (!indented || value.isEmpty()) {
                contact &= !endsContact(key);
            }
            if (value.isEmpty()) {
                heading = key;
            } else if (indented && heading != null && NAMES.contains(key) && !contact) {
                put(heading, value);
            } else if (!contact) {
                heading = indented ? heading : null;
                put(key, value);
            }
        }
    }

    /** Whether a key ends the data of a contact. */
    private static boolean endsContact(String key) {
        return REGISTRAR.contains(key) || NAMESERVERS.contains(key) || DNSSEC.contains(key);
    }

    private void put(String key, String value) {
        List<String> present = values.computeIfAbsent(key, added -> new ArrayList<>());
        if (present.size() < MAX_VALUES) {
            present.add(value);
        }
    }

    /** The key of {@code key: value}, {@code [key] value} or {@code a. [key] value}, null otherwise. */
    private static @Nullable String key(String line) {
        Matcher bracketed = BRACKETED.matcher(line);
        if (bracketed.lookingAt()) {
            return bracketed.group(1).strip().toLowerCase(Locale.ROOT);
        }
        int colon = line.indexOf(':');
        if (colon <= 0 || colon > MAX_KEY) {
            return null;
        }
        boolean value = colon + 1 == line.length() || !Character.isLetterOrDigit(line.charAt(colon + 1));
        boolean compact = colon < 30 && line.charAt(colon - 1) != '/' && !line.startsWith("http");
        String key = DOT_LEADERS.matcher(line.substring(0, colon)).replaceFirst("");
        // A key with a dot is a hostname before an IPv6 address.
        return (value || compact) && !key.isEmpty() && key.indexOf('.') < 0 ? key.toLowerCase(Locale.ROOT) : null;
    }

    private static String value(String line) {
        Matcher bracketed = BRACKETED.matcher(line);
        return line.substring(bracketed.lookingAt() ? bracketed.end() : line.indexOf(':') + 1)
                .strip();
    }
}
