package dev.plumbline.probe.registry;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** Recognizes the forms in which WHOIS servers state that a domain is not registered or cannot be registered. */
final class WhoisAvailability {
    private static final int MAX_LINES = 3_000;
    private static final int MAX_LINE = 200;
    private static final String LONG = "...";

    private static final Set<String> FREE =
            Set.of("available", "free", "not registered", "no object found", "not found", "no match");

    private static final Pattern REGISTERED = Pattern.compile(
            "(?:active|registered|taken|connect(?:ed)?|delegated|published|paid and in zone|registered until .*"
                    + "|(?:in )?quarantine|redemption.*|pending.*|to be released)",
            Pattern.CASE_INSENSITIVE);

    private static final Pattern BLOCKED = Pattern.compile("(?:reserved|restricted|blocked|prohibited string|premium"
            + "|invalid|unavailable|unassignable|forbidden|request denied|not allowed|not available)\\b.*");

    private static final String NAME = "\\(?\\[?(?:[\\p{L}\\p{N}_-]+\\.)+[\\p{L}\\p{N}_-]+\\]?\\)?";

    /** Forms of a complete line in lower case, without decoration. */
    private static final Pattern STATEMENT = Pattern.compile("(?:error(?: ?:? ?\\d{1,4})?:? )?(?:"
            + String.join(
                            "|",
                            "(?:nincs tal.{1,3}at / )?no match(?:ing records?)?(?: found)?(?: for)?(?: domain(?: name)?)?"
                                    + ":?(?: [^ ]+)?",
                            "no such domain(?: name)?:?(?: NAME)?",
                            "no (?:matching )?(?:entry|entries|records?|objects?|data|domain records|domain name)?"
                                    + "(?: (?:was|were))?(?: matching NAME)? ?found(?: (?:for|in|to match) .{1,80})?",
                            "(?:there is )?no information available (?:about|on) .{1,90}",
                            "(?:the )?(?:requested |queried )?(?:domain name|domain|object|key|data)?(?: NAME)?(?: was| is)?"
                                    + " ?not found(?:[:,]? NAME)?(?: in (?:the |our )?(?:registry|database).{0,50})?"
                                    + "(?:\\. this domain is available for registration)?",
                            "NAME(?: was| is)? not found",
                            "sorry,? but domain:? NAME,? not found in database",
                            "(?:the )?(?:queried )?object does not exist(?:: (?:domain not found|no matching objects found"
                                    + "|NAME))?",
                            "(?:(?:the |this |above )?domain(?: name)?(?: NAME)?|NAME):? (?:(?:is |has )?not (?:been )?"
                                    + "registe?red(?: to krnic| yet)?|(?:is )?free|is available(?: for registration)?|no match"
                                    + "|no existe|does not exist(?: in (?:the |our )?database)?)",
                            "not registered - the domain you have requested NAME is not a registered \\.\\p{L}+ domain name",
                            "nothing found(?: for this query)?",
                            "this query returned 0 objects",
                            "we do not have an entry in our database matching your query",
                            "no se encontro el objeto/object not found")
                    .replace("NAME", NAME)
            + ")");

    private static final Pattern REJECTED = Pattern.compile("(?:error:? )?too many (?:requests|queries|connections)");

    private static final Pattern DECORATION = Pattern.compile("^[\\s%#*>]+|[.!\\s]+$|[\"'«»]");
    private static final Pattern SPACE = Pattern.compile("[\\s_]+");

    private WhoisAvailability() {}

    /** Whether a line states that the domain is not registered. */
    static boolean isStatedFree(String text) {
        List<String> lines = text.lines().limit(MAX_LINES).toList();
        boolean free = false;
        for (int line = 0; line < lines.size(); line++) {
            String plain = plain(lines.get(line));
            // The word alone can also be the end of a sentence.
            boolean paragraph = plain.equals("available")
                    && (line == 0 || plain(lines.get(line - 1)).isEmpty());
            if (paragraph) {
                String next = line + 1 == lines.size() ? "" : plain(lines.get(line + 1));
                free |= next.isEmpty() || next.startsWith("domain:");
            }
            free |= STATEMENT.matcher(plain).matches();
        }
        return free && !isRejected(text);
    }

    /** Whether a line states that the client sent too many queries; other lines may be those of a free name. */
    static boolean isRejected(String text) {
        return text.lines().limit(MAX_LINES).anyMatch(line -> REJECTED.matcher(plain(line))
                .lookingAt());
    }

    /** Whether this status is one that only a registered domain has. */
    static boolean isRegistered(String status) {
        return RegistryValueParser.isEppStatus(status)
                || REGISTERED.matcher(status).matches();
    }

    /** Whether this status means that the domain is not registered. */
    static boolean isFree(String status) {
        return FREE.contains(status.toLowerCase(Locale.ROOT));
    }

    /** Whether this status means that nobody can register the domain, or that the query was rejected. */
    static boolean isBlocked(String status) {
        return BLOCKED.matcher(status.toLowerCase(Locale.ROOT)).matches();
    }

    /** A line without decoration in lower case; {@link #LONG} if it is too long for a statement. */
    private static String plain(String line) {
        if (line.length() > MAX_LINE) {
            return LONG;
        }
        String plain = SPACE.matcher(line).replaceAll(" ");
        return DECORATION.matcher(plain).replaceAll("").toLowerCase(Locale.ROOT);
    }
}
