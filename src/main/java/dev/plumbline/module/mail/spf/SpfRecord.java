package dev.plumbline.module.mail.spf;

import dev.plumbline.module.mail.record.RecordVersion;
import dev.plumbline.target.ExceptionMessage;
import dev.plumbline.target.IpAddressText;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A parsed SPF record (RFC 7208 sections 4.6, 5, 6 and 12), with its invalid terms.
 *
 * @param terms those that receivers evaluate, and all invalid ones
 * @param ignored the valid mechanisms after "all", and "redirect" in a record with "all"
 */
record SpfRecord(List<Term> terms, List<Term> ignored) {
    /** RFC 7208 section 4.5. */
    static final RecordVersion VERSION = RecordVersion.of("(?i)v=spf1(?: .*)?", "\\s*+[\"']*+(?:v=spf|v=sfp|spf1 ).*");

    /** Maximum number of characters of a record that is evaluated. */
    static final int MAX_LENGTH = 4_096;

    private static final int MAX_TERMS = 300;
    private static final int MAX_QUOTED = 40;

    /** Qualifier, name, argument with its separator. */
    private static final Pattern TERM = Pattern.compile("([-+~?]?)([^:=/]*)(.*)", Pattern.DOTALL);

    /** Domain, IPv4 prefix length, IPv6 prefix length. Only slashes before digits at the end start a prefix length. */
    private static final Pattern DUAL_CIDR = Pattern.compile("(.*?)(?:/([0-9]*))?(?://([0-9]*))?", Pattern.DOTALL);

    /** The mechanisms and modifiers. */
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
        INVALID;

        /** Whether it counts towards the limit of 10 lookups (RFC 7208 section 4.6.4). */
        boolean looksUp() {
            return switch (this) {
                case INCLUDE, A, MX, PTR, EXISTS, REDIRECT -> true;
                default -> false;
            };
        }
    }

    /**
     * A term.
     *
     * @param qualifier one of {@code + - ~ ?}
     * @param domain with macros; null if the term has none
     * @param network the address of ip4 and ip6, null for other terms
     * @param prefix the prefix length of ip4 and ip6, and that for IPv4 of a and mx; -1 if the term has none
     * @param prefix6 the prefix length of a and mx for IPv6, -1 if the term has none
     * @param error the syntax error, null if there is none
     */
    record Term(
            String text,
            Kind kind,
            String qualifier,
            @Nullable String domain,
            @Nullable InetAddress network,
            int prefix,
            int prefix6,
            @Nullable String error) {
        static Term invalid(String text, String error) {
            return new Term(text, Kind.INVALID, "+", null, null, -1, -1, error);
        }
    }

    static final class SyntaxException extends Exception {
        SyntaxException(String message) {
            super(message, null, false, false);
        }
    }

    /** Parses a text with the version. A record over the limits is a single invalid term. */
    static SpfRecord parse(String text) {
        if (text.length() > MAX_LENGTH) {
            return tooLong(text, MAX_LENGTH + " characters");
        }
        List<Term> terms = new ArrayList<>();
        Set<Kind> kinds = EnumSet.noneOf(Kind.class);
        for (String word : text.split(" +")) {
            if (terms.size() > MAX_TERMS) {
                return tooLong(text, MAX_TERMS + " terms");
            }
            Term term = term(word);
            boolean repeated = !kinds.add(term.kind()) && (term.kind() == Kind.REDIRECT || term.kind() == Kind.EXP);
            terms.add(repeated ? Term.invalid(word, "the modifier occurs more than once") : term);
        }
        List<Term> evaluated = new ArrayList<>();
        List<Term> ignored = new ArrayList<>();
        boolean afterAll = false;
        for (Term term : terms.subList(1, terms.size())) {
            boolean skipped =
                    switch (term.kind()) {
                        case REDIRECT -> kinds.contains(Kind.ALL);
                        // An error in any term is an error of the record (RFC 7208 section 4.6).
                        case EXP, UNKNOWN_MODIFIER, INVALID -> false;
                        default -> afterAll;
                    };
            (skipped ? ignored : evaluated).add(term);
            afterAll |= term.kind() == Kind.ALL;
        }
        return new SpfRecord(evaluated, ignored);
    }

    private static SpfRecord tooLong(String text, String limit) {
        Term start = Term.invalid(
                text.substring(0, MAX_QUOTED), "the record has more than " + limit + " and was not evaluated");
        return new SpfRecord(List.of(start), List.of());
    }

    private static Term term(String word) {
        try {
            return validTerm(word);
        } catch (SyntaxException invalid) {
            return Term.invalid(word, ExceptionMessage.of(invalid));
        }
    }

    private static Term validTerm(String word) throws SyntaxException {
        Matcher matcher = TERM.matcher(word);
        if (!matcher.matches() || !word.matches("[!-~]+")) {
            throw new SyntaxException("only printable ASCII characters are allowed");
        }
        String argument = matcher.group(3);
        boolean modifier = argument.startsWith("=");
        String name = (modifier ? matcher.group(1) + matcher.group(2) : matcher.group(2)).toLowerCase(Locale.ROOT);
        Kind kind = kind(name, modifier);
        String domain = argument;
        InetAddress network = null;
        int prefix = -1;
        int prefix6 = -1;
        switch (kind) {
            case UNKNOWN_MODIFIER -> {
                SpfMacros.validate(argument.substring(1), true);
                domain = "";
            }
            case IP4, IP6 -> {
                int bits = kind == Kind.IP4 ? 32 : 128;
                int slash = argument.indexOf('/');
                network = network(slash < 0 ? argument : argument.substring(0, slash), bits);
                prefix = slash < 0 ? bits : prefix(argument.substring(slash + 1), bits);
                domain = "";
            }
            case A, MX -> {
                Matcher cidr = DUAL_CIDR.matcher(argument);
                domain = cidr.matches() ? cidr.group(1) : argument;
                prefix = cidr.group(2) == null ? -1 : prefix(cidr.group(2), 32);
                prefix6 = cidr.group(3) == null ? -1 : prefix(cidr.group(3), 128);
            }
            default -> {}
        }
        if (kind == Kind.ALL && !argument.isEmpty()) {
            throw new SyntaxException("an argument is not allowed");
        }
        if (domain.startsWith(modifier ? "=" : ":")) {
            SpfMacros.validateDomain(domain.substring(1));
        } else if (!domain.isEmpty() || kind == Kind.INCLUDE || kind == Kind.EXISTS) {
            throw new SyntaxException("a colon and a domain are required");
        }
        String qualifier = matcher.group(1).isEmpty() ? "+" : matcher.group(1);
        String spec = domain.isEmpty() ? null : domain.substring(1);
        return new Term(word, kind, qualifier, spec, network, prefix, prefix6, null);
    }

    private static Kind kind(String name, boolean modifier) throws SyntaxException {
        return switch (modifier ? name + "=" : name) {
            case "all", "include", "a", "mx", "ptr", "ip4", "ip6", "exists", "redirect=", "exp=" ->
                Kind.valueOf(name.toUpperCase(Locale.ROOT));
            default -> {
                if (!modifier) {
                    throw new SyntaxException("the mechanism is not defined");
                } else if (!name.matches("[a-z][a-z0-9._-]*+")) {
                    throw new SyntaxException("the name of a modifier must start with a letter");
                }
                yield Kind.UNKNOWN_MODIFIER;
            }
        };
    }

    private static InetAddress network(String text, int bits) throws SyntaxException {
        InetAddress address = text.startsWith(":") ? IpAddressText.parse(text.substring(1)) : null;
        if (address == null || address.getAddress().length * 8 != bits) {
            throw new SyntaxException("a colon and an IPv" + (bits == 32 ? 4 : 6) + " address are required");
        }
        return address;
    }

    private static int prefix(String digits, int bits) throws SyntaxException {
        if (!digits.matches("0|[1-9][0-9]{0,2}") || Integer.parseInt(digits) > bits) {
            throw new SyntaxException("the prefix length must be an integer from 0 to " + bits);
        }
        return Integer.parseInt(digits);
    }
}
