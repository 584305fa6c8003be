package dev.plumbline.probe.registry;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Parses WHOIS responses about domains. Their format is not standardized: registries send lines of a key and a value,
 * headings followed by values, keys in brackets, or sentences, with different keys. A domain is registered or free only
 * if the response states it in a known form.
 */
public final class WhoisParser {
    private static final int MAX_LINES = 3_000;
    private static final int MAX_LINE = 1_000;
    private static final int MAX_VALUES = 100;
    private static final int MAX_KEY = 60;
    private static final int MAX_HEADING_WORDS = 6;
    private static final int MAX_SENTENCE_WORDS = 6;
    private static final int MAX_RATE_LIMIT_RESPONSE = 1_000;

    private static final Pattern RATE_LIMIT = Pattern.compile(
            "limit exceeded|exceeded (?:the|your|allowed|maximum)|too many (?:requests|queries|connections)|"
                    + "query rate|rate limit|quota|access (?:control|denied)|try again later|temporarily"
                    + " (?:denied|blocked)|blacklisted",
            Pattern.CASE_INSENSITIVE);

    private static final Pattern LABELS = Pattern.compile("[\\p{L}\\p{M}\\p{N}][\\p{L}\\p{M}\\p{N}.-]*");
    private static final Pattern BULLET = Pattern.compile("^(?:-\\s+|\\*+\\s*)");

    /** A nameserver as a resource record, for example {@code example.pt NS ns1.example.net.}. */
    private static final Pattern NS_RECORD = Pattern.compile("^\\S+\\s+NS\\s+");

    private static final Pattern PLACEHOLDER = Pattern.compile(
            "[(<\\[]?(?:[-.]*|n/?a|none|null|nil|no|unknown|undefined|0000-00-00.*|never.*"
                    + "|(?:not|no|hidden)[ -](?:available|assigned|defined|set|entered|disclosed|specified|applicable"
                    + "|listed|name ?servers?|registration status).*)[)>\\].]?",
            Pattern.CASE_INSENSITIVE);

    private static final String MONTH = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}";
    private static final Pattern DATE = Pattern.compile(
            "\\d{4}[-/.] ?\\d{1,2}[-/.] ?\\d{1,2}|\\d{1,2}[-/.]\\d{1,2}[-/.]\\d{4}|\\b(?:19|20)\\d{6}(?!\\d)"
                    + "|\\d{1,2}(?:st|nd|rd|th)?[- ]MONTH[-, ]+\\d{4}|MONTH \\d{1,2},? .{0,15}\\d{4}"
                            .replace("MONTH", MONTH),
            Pattern.CASE_INSENSITIVE);

    /** A status with the date until which the registration is paid. */
    private static final Pattern STATUS_UNTIL = Pattern.compile("(?:OK-UNTIL |Connected \\()([\\d/]{8,14})\\)?");

    private static final Pattern CONTACT_DATE = Pattern.compile("(?:created|updated|changed)$");
    private static final Pattern SLASH_DATE = Pattern.compile("(?<!\\d)(\\d{1,2})/(\\d{1,2})/\\d{4}(?!\\d)");
    private static final Pattern LOCK = Pattern.compile("prohibited|\\block", Pattern.CASE_INSENSITIVE);

    /** Keys below the heading of the registrar whose values are its name. */
    private static final Set<String> REGISTRAR_NAMES = Set.of("name", "organization", "organisation");

    private final Map<WhoisField, List<String>> values = new EnumMap<>(WhoisField.class);
    private final String text;
    private final @Nullable Boolean dayFirst;

    private @Nullable WhoisField heading;
    private int headingIndent;
    private @Nullable WhoisField continued;
    private int keyIndent;
    /** The lines are about a contact, the registrar or a set of nameservers instead of the domain. */
    private boolean foreign;
    /** The data of the other object ends at the next empty line. */
    private boolean paragraph;

    private boolean paragraphStart = true;
    private boolean indentedBlock;
    private boolean hasHolder;
    private boolean listsNameservers;
    /** A line may contain a date, nameserver or status that was not understood. */
    private boolean gap;
    /** The text continues with data of another domain. */
    private boolean ended;

    private int updatedParagraph = -1;
    private int paragraphs;

    private WhoisParser(String text) {
        this.text = text;
        this.dayFirst = dayFirst(text);
        parseLines();
    }

    /**
     * {@link RegistrationRecord#UNKNOWN} if the response could not be interpreted or describes another domain.
     *
     * @param domain in A-labels and lower case
     */
    public static RegistrationRecord read(String text, String domain) {
        WhoisParser parser = new WhoisParser(text);
        return parser.describesAnother(domain) ? RegistrationRecord.UNKNOWN : parser.registration();
    }

    /** {@link RegistrationRecord#UNKNOWN} if the response could not be interpreted. */
    static RegistrationRecord read(String text) {
        return new WhoisParser(text).registration();
    }

    /** Whether the response only states that a rate limit is exceeded. */
    public static boolean isRateLimited(String text) {
        boolean rejected = text.length() <= MAX_RATE_LIMIT_RESPONSE
                ? RATE_LIMIT.matcher(text).find()
                : WhoisAvailability.isRejected(text);
        return rejected && read(text).registered() == null;
    }

    private RegistrationRecord registration() {
        List<String> nameservers = nameservers();
        List<String> statuses = values(WhoisField.STATUS).stream()
                .filter(value -> !isPlaceholder(value) || WhoisAvailability.isBlocked(value))
                .flatMap(value -> RegistryValueParser.statusList(value).stream())
                .distinct()
                .toList();
        Instant created = first(WhoisField.CREATED, this::date);
        Instant expires = first(WhoisField.EXPIRES, this::date);
        String registrar = first(WhoisField.REGISTRAR, WhoisParser::registrar);
        boolean named = first(WhoisField.DOMAIN, WhoisParser::domain) != null;
        long data = Stream.of(created, expires, registrar, nameservers.isEmpty() ? null : nameservers)
                .filter(Objects::nonNull)
                .count();
        boolean free = statuses.stream().anyMatch(WhoisAvailability::isFree);
        boolean blocked = statuses.stream().anyMatch(WhoisAvailability::isBlocked);
        if (data == 0 && !blocked && (free || statuses.isEmpty() && WhoisAvailability.isStatedFree(text))) {
            return RegistrationRecord.NOT_REGISTERED;
        }
        boolean registered =
                named ? data > 0 || hasHolder || statuses.stream().anyMatch(WhoisAvailability::isRegistered) : data > 1;
        if (free || blocked && data < 2 || !registered) {
            return RegistrationRecord.UNKNOWN;
        }
        return new RegistrationRecord(
                true,
                registrar,
                first(WhoisField.IANA_ID, RegistryValueParser::number),
                created,
                all(WhoisField.UPDATED, this::date)
                        .max(Comparator.naturalOrder())
                        .orElse(null),
                expires,
                statuses,
                nameservers,
                dnssecSigned(),
                first(WhoisField.ABUSE, RegistryValueParser::email),
                complete(statuses));
    }

    /** The kinds of values of which the response lists all. */
    private Set<RegistrationRecord.Part> complete(List<String> statuses) {
        Set<RegistrationRecord.Part> complete = EnumSet.noneOf(RegistrationRecord.Part.class);
        if (!gap) {
            complete.add(RegistrationRecord.Part.EXPIRY);
            if (listsNameservers) {
                complete.add(RegistrationRecord.Part.NAMESERVERS);
            }
            if (statuses.stream().allMatch(RegistryValueParser::isEppStatus)) {
                complete.add(RegistrationRecord.Part.STATUSES);
            }
        }
        return complete;
    }

    private List<String> nameservers() {
        return all(WhoisField.NAMESERVERS, WhoisParser::nameserver).distinct().toList();
    }

    /** Some registries send the name without the top-level domain, in Unicode, or with a status. */
    private static @Nullable String domain(String value) {
        String name = RegistryValueParser.nameserver(value);
        return name == null && LABELS.matcher(value).matches() ? value : name;
    }

    /** Some servers send the domain with the most similar name. */
    private boolean describesAnother(String domain) {
        List<String> names =
                all(WhoisField.DOMAIN, RegistryValueParser::nameserver).toList();
        return !names.isEmpty() && !names.contains(domain);
    }

    private static @Nullable String nameserver(String value) {
        return RegistryValueParser.nameserver(NS_RECORD.matcher(value).replaceFirst(""));
    }

    private @Nullable Instant date(String value) {
        return RegistryValueParser.date(value, dayFirst);
    }

    /** Whether dates such as 31/12/2024 start with the day; null if the text does not show it. */
    private static @Nullable Boolean dayFirst(String text) {
        boolean dayFirst = text.toLowerCase(Locale.ROOT).contains("dd/mm/yyyy");
        boolean monthFirst = false;
        Matcher date = SLASH_DATE.matcher(text);
        while (date.find()) {
            dayFirst |= Integer.parseInt(date.group(1)) > 12;
            monthFirst |= Integer.parseInt(date.group(2)) > 12;
        }
        return dayFirst == monthFirst ? null : (Boolean) dayFirst;
    }

    private static @Nullable String registrar(String value) {
        String plain = RegistryValueParser.value(value);
        int tag = plain == null ? -1 : plain.indexOf(" [Tag = ");
        return plain != null && tag > 0 ? plain.substring(0, tag) : plain;
    }

    private @Nullable Boolean dnssecSigned() {
        if (values(WhoisField.DNSSEC_KEYS).stream().anyMatch(key -> !isPlaceholder(key))) {
            return true;
        }
        String value = first(WhoisField.DNSSEC, RegistryValueParser::value);
        if (value == null) {
            return null;
        }
        String plain = value.toLowerCase(Locale.ROOT);
        if (plain.matches("(?:unsigned|not signed|inactive).*|no?")) {
            return false;
        }
        return plain.matches("(?:signed|active).*|y(?:es)?") ? Boolean.TRUE : null;
    }

    private List<String> values(WhoisField field) {
        return values.getOrDefault(field, List.of());
    }

    private <T> Stream<T> all(WhoisField field, Function<String, @Nullable T> parser) {
        return values(field).stream().flatMap(value -> Stream.ofNullable(parser.apply(value)));
    }

    private <T> @Nullable T first(WhoisField field, Function<String, @Nullable T> parser) {
        return all(field, parser).findFirst().orElse(null);
    }

    private void parseLines() {
        List<String> lines = text.lines().limit(MAX_LINES + 1L).toList();
        gap = lines.size() > MAX_LINES;
        for (String line : lines) {
            String plain = line.strip();
            if (plain.length() > MAX_LINE) {
                gap = true;
            } else if (plain.isEmpty()) {
                endParagraph();
            } else if (ended || plain.startsWith(">>>") && !values.isEmpty()) {
                return;
            } else if (!plain.startsWith("%") && !plain.startsWith("#") && !plain.startsWith(">>>")) {
                parseLine(BULLET.matcher(plain).replaceFirst(""), line.indexOf(plain));
                paragraphStart = false;
            }
        }
    }

    private void endParagraph() {
        paragraphStart = true;
        paragraphs++;
        continued = null;
        if (paragraph) {
            foreign = false;
            paragraph = false;
        }
        // Some registries send an empty line between the heading and the nameservers.
        boolean waiting = heading == WhoisField.NAMESERVERS && nameservers().isEmpty();
        heading = waiting ? heading : null;
    }

    private void parseLine(String line, int indent) {
        WhoisEntry entry = WhoisEntry.parse(line);
        if (entry == null) {
            parseText(line, indent);
            return;
        }
        String key = entry.key();
        WhoisField field = WhoisField.of(key);
        if (heading == WhoisField.DOMAIN && key.equals("name")) {
            field = WhoisField.DOMAIN;
        } else if (heading == WhoisField.REGISTRAR && REGISTRAR_NAMES.contains(key)) {
            field = WhoisField.REGISTRAR;
        }
        if (foreign && !paragraph && indentedBlock && indent <= headingIndent) {
            foreign = false;
        }
        indentedBlock |= indent > headingIndent;
        if (entry.value().isEmpty()) {
            startBlock(field, indent);
        } else {
            put(key, field, entry.value());
        }
        continued = field;
        keyIndent = indent;
    }

    /** A line without a value. */
    private void startBlock(@Nullable WhoisField field, int indent) {
        if (field == null || field == WhoisField.OTHER || foreign && !paragraphStart && indent > headingIndent) {
            return;
        }
        heading = field;
        headingIndent = indent;
        indentedBlock = false;
        foreign = field == WhoisField.CONTACT || field == WhoisField.REGISTRAR || field == WhoisField.NAMESERVERS;
        paragraph = field == WhoisField.REGISTRAR || field == WhoisField.NAMESERVERS;
        listsNameservers |= field == WhoisField.NAMESERVERS;
    }

    private void put(String key, @Nullable WhoisField field, String value) {
        boolean weak = WhoisField.isWeak(key);
        if (field == WhoisField.DOMAIN) {
            foreign = false;
            paragraph = false;
        } else if (paragraphStart
                && (field == WhoisField.CONTACT || field == WhoisField.REGISTRAR && heading == null)) {
            foreign = true;
            paragraph = true;
        } else if (paragraphStart && foreign && !paragraph && field != null && field != WhoisField.OTHER && !weak) {
            foreign = false;
        }
        if (field == null) {
            gap |= isSuspicious(key, value);
        } else if (weak && foreign || key.equals("state") && !isState(value)) {
            gap |= field == WhoisField.STATUS && LOCK.matcher(value).find();
        } else {
            put(field, value, key);
        }
    }

    private void put(WhoisField field, String value, String key) {
        switch (field) {
            case NAMESERVERS -> {
                String plain = NS_RECORD.matcher(value).replaceFirst("");
                boolean self = key.equals("dns") && plain.equalsIgnoreCase(first(WhoisField.DOMAIN, name -> name));
                if (!self) {
                    listsNameservers = true;
                    gap |= nameserver(value) == null && !isPlaceholder(value);
                    add(field, value);
                }
            }
            case EXPIRES -> {
                gap |= date(value) == null && !isPlaceholder(value);
                add(field, value);
            }
            case UPDATED -> {
                updatedParagraph = updatedParagraph < 0 ? paragraphs : updatedParagraph;
                if (updatedParagraph == paragraphs) {
                    add(field, value);
                }
            }
            case STATUS -> {
                add(field, value);
                Matcher until = STATUS_UNTIL.matcher(value);
                if (until.matches()) {
                    add(WhoisField.EXPIRES, until.group(1));
                }
            }
            case DOMAIN -> {
                String known = first(field, RegistryValueParser::nameserver);
                String name = RegistryValueParser.nameserver(value);
                ended |= known != null && name != null && !known.equals(name);
                if (!ended) {
                    add(field, value);
                }
            }
            case CONTACT -> {
                hasHolder |= !key.equals("contact") && !isPlaceholder(value);
                gap |= date(value) != null && !CONTACT_DATE.matcher(key).find();
            }
            case OTHER -> {}
            default -> add(field, value);
        }
    }

    private void add(WhoisField field, String value) {
        List<String> present = values.computeIfAbsent(field, added -> new ArrayList<>());
        if (present.size() < MAX_VALUES) {
            present.add(value);
        } else {
            gap = true;
        }
    }

    /** A line that is not a key with a value: a value below a heading, a heading, or a sentence. */
    private void parseText(String line, int indent) {
        WhoisField field = heading;
        boolean listed = field == WhoisField.NAMESERVERS || indent > keyIndent && continued == WhoisField.NAMESERVERS;
        if (listed && nameserver(line) != null) {
            put(WhoisField.NAMESERVERS, line, "");
            return;
        }
        String[] words = line.split("\\s+", MAX_SENTENCE_WORDS + 1);
        if (parseSentence(line, words)) {
            return;
        }
        if (indent > keyIndent && continued == WhoisField.STATUS) {
            RegistryValueParser.statusList(line).stream()
                    .filter(status -> heading == WhoisField.STATUS || RegistryValueParser.isEppStatus(status))
                    .forEach(status -> add(WhoisField.STATUS, status));
            return;
        }
        if (field == WhoisField.REGISTRAR || field == WhoisField.DOMAIN || field == WhoisField.ABUSE) {
            if (values(field).isEmpty()) {
                add(field, line);
            }
            return;
        }
        if (field != null && field != WhoisField.CONTACT && field != WhoisField.NAMESERVERS) {
            put(field, line, "");
            return;
        }
        WhoisField title = line.length() <= MAX_KEY && words.length <= MAX_HEADING_WORDS
                ? WhoisField.of(WhoisField.normalize(line))
                : null;
        if (title != null && !(foreign && indent > headingIndent)) {
            startBlock(title, indent);
            continued = title;
            keyIndent = indent;
            return;
        }
        indentedBlock |= indent > headingIndent;
        boolean host =
                words.length <= 3 && RegistryValueParser.nameserver(words[0]) != null && !words[0].startsWith("www.");
        boolean sentence = words.length <= MAX_SENTENCE_WORDS;
        gap |= host || sentence && hasDateOrLock(line);
    }

    /** A date in a sentence such as "Record created on 2024-01-31", or the name in "Domain EXAMPLE.ORG". */
    private boolean parseSentence(String line, String[] words) {
        int end = 0;
        for (int count = 1; count < words.length; count++) {
            end = line.indexOf(words[count], end + words[count - 1].length());
            WhoisField field = end > 0 ? WhoisField.of(WhoisField.normalize(line.substring(0, end))) : null;
            if (field == null) {
                continue;
            }
            String rest = line.substring(end);
            boolean dated = field == WhoisField.CREATED || field == WhoisField.UPDATED || field == WhoisField.EXPIRES;
            boolean name =
                    field == WhoisField.DOMAIN && words.length == 2 && RegistryValueParser.nameserver(rest) != null;
            if (name || dated && date(rest) != null) {
                put(WhoisField.normalize(line.substring(0, end)), field, rest);
                return true;
            }
        }
        return false;
    }

    /** Whether a value states that the registry does not publish or have one. */
    private static boolean isPlaceholder(String value) {
        return PLACEHOLDER.matcher(value).matches();
    }

    /** Whether a text may contain a date or a transfer lock. */
    private static boolean hasDateOrLock(String text) {
        return DATE.matcher(text).find() || LOCK.matcher(text).find();
    }

    /** Whether a value of an unknown key may be a date, a nameserver or a status. */
    private static boolean isSuspicious(String key, String value) {
        String[] words = value.split("\\s+", MAX_SENTENCE_WORDS + 1);
        return words.length <= MAX_SENTENCE_WORDS
                && (hasDateOrLock(value)
                        || key.contains("lock") && !isPlaceholder(value)
                        || RegistryValueParser.nameserver(value) != null && !value.startsWith("www."));
    }

    /** Whether the value of a key "state" is a status instead of a region. */
    private static boolean isState(String value) {
        return value.matches(
                "(?i)(?:active|inactive|locked|system|ok|connected|registered|reserved|deleted|suspended)\\b.*");
    }
}
