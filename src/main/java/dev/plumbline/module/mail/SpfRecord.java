package dev.plumbline.module.mail;

import dev.plumbline.check.IpAddressText;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * An SPF record as it is written (RFC 7208 sections 4.6, 5, 6 and 12). Every term is there, also
 * those that are wrong.
 */
record SpfRecord(List<Term> terms) {
    private static final String VERSION = "v=spf1";

    /** In characters; of a longer record only so much is kept, and one more to know it by. */
    static final int MOST_TEXT = 4_096;

    static final int MOST_TERMS = 300;
    private static final int SHOWN = 40;

    /** What a term is. */
    enum Kind {
        ALL,
        INCLUDE,
        A,
        MX,
        PTR,
        IP4,
        IP6,
        EXISTS,
        REDIRECT,
        EXP,
        UNKNOWN_MODIFIER,
        WRONG;

        /** Whether it is one of those of which a check may look up ten (RFC 7208 section 4.6.4). */
        boolean looksUp() {
            return switch (this) {
                case INCLUDE, A, MX, PTR, EXISTS, REDIRECT -> true;
                default -> false;
            };
        }
    }

    /**
     * One term.
     *
     * @param text as it is written
     * @param qualifier one of {@code + - ~ ?}
     * @param domain the domain that it names, with macros; null when it names none
     * @param prefix how many bits of an address count; -1 where all do
     * @param error what is wrong with it, null when nothing is
     */
    record Term(String text, Kind kind, char qualifier, @Nullable String domain, int prefix, @Nullable String error) {}

    /** Whether a text is meant to be an SPF record (RFC 7208 section 4.5). */
    static boolean claims(String text) {
        return text.regionMatches(true, 0, VERSION, 0, VERSION.length())
                && (text.length() == VERSION.length() || text.charAt(VERSION.length()) == ' ');
    }

    /** Whether a text looks like an SPF record, and is none. */
    static boolean resembles(String text) {
        String lower = text.strip().toLowerCase(Locale.ROOT).replaceAll("^[\"']+", "");
        return !claims(text) && (lower.startsWith("v=spf") || lower.startsWith("v=sfp") || lower.startsWith("spf1 "));
    }

    /** A text that {@link #parse} says the same of, and that is not much longer than one it reads. */
    static String bounded(String text) {
        return text.length() > MOST_TEXT ? text.substring(0, MOST_TEXT + 1) : text;
    }

    /**
     * Reads a text that {@link #claims} to be one. A text that is too long, or has too many terms, is
     * a single wrong term.
     */
    static SpfRecord parse(String text) {
        if (text.length() > MOST_TEXT) {
            return unread(text, "of more than " + MOST_TEXT + " characters");
        }
        List<Term> terms = new ArrayList<>();
        Set<Kind> once = new HashSet<>();
        for (String word : text.substring(VERSION.length()).split(" ")) {
            if (word.isEmpty()) {
                continue;
            }
            if (terms.size() == MOST_TERMS) {
                return unread(text, "of more than " + MOST_TERMS + " parts");
            }
            Term term = term(word);
            boolean twice = (term.kind() == Kind.REDIRECT || term.kind() == Kind.EXP) && !once.add(term.kind());
            terms.add(twice ? wrong(word, "may stand in a record only once") : term);
        }
        return new SpfRecord(List.copyOf(terms));
    }

    /** The terms that count: none after "all", and no redirect where there is an "all". */
    List<Term> effective() {
        boolean all = has(Kind.ALL);
        boolean over = false;
        List<Term> effective = new ArrayList<>();
        for (Term term : terms) {
            boolean modifier = term.kind() == Kind.EXP || term.kind() == Kind.UNKNOWN_MODIFIER;
            if (modifier || !over && (!all || term.kind() != Kind.REDIRECT)) {
                effective.add(term);
            }
            over |= term.kind() == Kind.ALL;
        }
        return effective;
    }

    boolean has(Kind kind) {
        return terms.stream().anyMatch(term -> term.kind() == kind);
    }

    private static SpfRecord unread(String text, String size) {
        String head = text.substring(0, Math.min(SHOWN, text.length()));
        return new SpfRecord(List.of(wrong(head, "begins a record " + size + ", which is not read")));
    }

    private static Term wrong(String word, String error) {
        return new Term(word, Kind.WRONG, '+', null, -1, error);
    }

    private static Term term(String word) {
        for (int i = 0; i < word.length(); i++) {
            if (word.charAt(i) < 0x21 || word.charAt(i) > 0x7e) {
                return wrong(word, "holds a character that is not printable ASCII");
            }
        }
        int mark = 0;
        while (mark < word.length() && ":=/".indexOf(word.charAt(mark)) < 0) {
            mark++;
        }
        if (mark < word.length() && word.charAt(mark) == '=') {
            return modifier(word, word.substring(0, mark), word.substring(mark + 1));
        }
        boolean qualified = "+-~?".indexOf(word.charAt(0)) >= 0;
        String name = word.substring(qualified ? Math.min(1, mark) : 0, mark).toLowerCase(Locale.ROOT);
        return mechanism(word, qualified ? word.charAt(0) : '+', name, word.substring(mark));
    }

    private static Term modifier(String word, String name, String value) {
        String lower = name.toLowerCase(Locale.ROOT);
        if (!lower.matches("[a-z][a-z0-9._-]*+")) {
            return wrong(word, "is no modifier: its name must begin with a letter");
        }
        Kind kind =
                switch (lower) {
                    case "redirect" -> Kind.REDIRECT;
                    case "exp" -> Kind.EXP;
                    default -> Kind.UNKNOWN_MODIFIER;
                };
        String error = kind == Kind.UNKNOWN_MODIFIER
                ? SpfMacroExpander.fault(value, true)
                : SpfMacroExpander.domainFault(value);
        return error == null
                ? new Term(word, kind, '+', kind == Kind.UNKNOWN_MODIFIER ? null : value, -1, null)
                : wrong(word, error);
    }

    private static Term mechanism(String word, char qualifier, String name, String rest) {
        return switch (name) {
            case "all" ->
                rest.isEmpty()
                        ? new Term(word, Kind.ALL, qualifier, null, -1, null)
                        : wrong(word, "must be the word \"all\" alone");
            case "include" -> named(word, Kind.INCLUDE, qualifier, rest, true);
            case "exists" -> named(word, Kind.EXISTS, qualifier, rest, true);
            case "ptr" -> named(word, Kind.PTR, qualifier, rest, false);
            case "a" -> host(word, Kind.A, qualifier, rest);
            case "mx" -> host(word, Kind.MX, qualifier, rest);
            case "ip4" -> network(word, Kind.IP4, qualifier, rest, 32);
            case "ip6" -> network(word, Kind.IP6, qualifier, rest, 128);
            default -> wrong(word, "is no mechanism of SPF");
        };
    }

    private static Term named(String word, Kind kind, char qualifier, String rest, boolean required) {
        if (rest.isEmpty() && !required) {
            return new Term(word, kind, qualifier, null, -1, null);
        }
        if (!rest.startsWith(":")) {
            return wrong(word, "must name a domain after a colon");
        }
        String error = SpfMacroExpander.domainFault(rest.substring(1));
        return error == null ? new Term(word, kind, qualifier, rest.substring(1), -1, null) : wrong(word, error);
    }

    /** A domain, or none, and how many bits count: {@code :domain/24//64}. */
    private static Term host(String word, Kind kind, char qualifier, String rest) {
        String left = rest;
        int six = left.lastIndexOf("//");
        if (six >= 0 && left.indexOf('}', six) < 0) {
            if (bits(left.substring(six + 2), 128) < 0) {
                return wrong(word, "must end in a number from 0 to 128 after the two slashes");
            }
            left = left.substring(0, six);
        }
        int prefix = -1;
        int four = left.lastIndexOf('/');
        if (four >= 0 && left.indexOf('}', four) < 0) {
            prefix = bits(left.substring(four + 1), 32);
            if (prefix < 0) {
                return wrong(word, "must end in a number from 0 to 32 after the slash");
            }
            left = left.substring(0, four);
        }
        if (left.isEmpty()) {
            return new Term(word, kind, qualifier, null, prefix, null);
        }
        String error = SpfMacroExpander.domainFault(left.substring(1));
        return error == null ? new Term(word, kind, qualifier, left.substring(1), prefix, null) : wrong(word, error);
    }

    private static Term network(String word, Kind kind, char qualifier, String rest, int most) {
        if (!rest.startsWith(":")) {
            return wrong(word, "must name an address after a colon");
        }
        int slash = rest.indexOf('/');
        InetAddress address = IpAddressText.parse(rest.substring(1, slash < 0 ? rest.length() : slash));
        if (address == null || address.getAddress().length * 8 != most) {
            return wrong(word, "holds no IPv" + (most == 32 ? "4" : "6") + " address");
        }
        int prefix = slash < 0 ? most : bits(rest.substring(slash + 1), most);
        return prefix < 0
                ? wrong(word, "must end in a number from 0 to " + most + " after the slash")
                : new Term(word, kind, qualifier, null, prefix, null);
    }

    /** The number, -1 when it is none or too large. */
    private static int bits(String digits, int most) {
        if (!digits.matches("0|[1-9][0-9]{0,2}")) {
            return -1;
        }
        int bits = Integer.parseInt(digits);
        return bits <= most ? bits : -1;
    }
}
