package dev.plumbline.module.mail;

import dev.plumbline.check.FieldDescription;
import dev.plumbline.check.FieldType;
import dev.plumbline.check.FindingCode;
import dev.plumbline.check.InputType;
import dev.plumbline.check.Level;
import dev.plumbline.check.ModuleDescription;

/** What {@link Spf} says of itself. */
final class SpfDescription {
    static final FindingCode NO_RECORD = new FindingCode(
            "no_record",
            Level.FAIL,
            "record",
            "The domain has no SPF record, so receivers cannot tell whose servers may send its mail.",
            "Publish a TXT record such as \"v=spf1 mx -all\" that names your mail servers; for a domain"
                    + " without mail \"v=spf1 -all\".",
            "RFC 7208 section 3");
    static final FindingCode SEVERAL = new FindingCode(
            "several_records",
            Level.FAIL,
            "multiple",
            "There is more than one SPF record, which receivers take for an error.",
            "Put all of it into one record and delete the others.",
            "RFC 7208 section 3.2");
    static final FindingCode SYNTAX = new FindingCode(
            "syntax_error",
            Level.FAIL,
            "errors",
            "A part of the record cannot be read, which makes all of it void.",
            "Correct it or take it out.",
            "RFC 7208 section 4.6");
    static final FindingCode TOO_MANY = new FindingCode(
            "too_many_lookups",
            Level.FAIL,
            "lookup_count",
            "The record needs more than 10 look-ups in the DNS, at which receivers give up.",
            "Take out what is not used any more, and replace names that seldom change by ip4 and ip6.",
            "RFC 7208 section 4.6.4");
    static final FindingCode NEARLY_TOO_MANY = new FindingCode(
            "many_lookups",
            Level.INFO,
            "lookup_count",
            "The record comes near the 10 look-ups that are allowed.",
            "Before you add another provider, take out what is not used any more.",
            "RFC 7208 section 4.6.4");
    static final FindingCode TOO_MANY_VOID = new FindingCode(
            "too_many_void_lookups",
            Level.FAIL,
            "void_lookup_count",
            "More than 2 of the names in the record do not exist or are empty; receivers give up.",
            "Take out the names that are no more.",
            "RFC 7208 section 4.6.4");
    static final FindingCode VOID = new FindingCode(
            "void_lookup",
            Level.WARN,
            "void_lookup_count",
            "The record names something that does not exist or has no such record.",
            "Take it out, or correct the name.",
            "RFC 7208 section 4.6.4");
    static final FindingCode TOO_MANY_MX = new FindingCode(
            "too_many_mx",
            Level.FAIL,
            "errors",
            "A domain that is named by \"mx\" has more than 10 mail servers, at which receivers give up.",
            "Name the sending servers by ip4 and ip6 instead.",
            "RFC 7208 section 4.6.4");
    static final FindingCode INCLUDE_EMPTY = new FindingCode(
            "include_without_record",
            Level.FAIL,
            "errors",
            "The record includes or redirects to a domain that has no SPF record of its own, which makes"
                    + " all of it void.",
            "Take it out, or ask whoever runs that domain for the right name.",
            "RFC 7208 sections 5.2 and 6.1");
    static final FindingCode INCLUDE_SEVERAL = new FindingCode(
            "include_with_several_records",
            Level.FAIL,
            "errors",
            "A domain that is included has more than one SPF record, which makes all of it void.",
            "Ask whoever runs that domain to keep one.",
            "RFC 7208 section 5.2");
    static final FindingCode LOOP = new FindingCode(
            "include_loop",
            Level.FAIL,
            "errors",
            "The record leads back to itself by include or redirect, so a check of it never ends.",
            "Take out the include or redirect that leads back.",
            "RFC 7208 section 4.6.4");
    static final FindingCode ALL_PASS = new FindingCode(
            "everybody_may_send",
            Level.FAIL,
            "all_qualifier",
            "The record lets everybody on the internet send mail in the domain's name.",
            "Replace \"+all\" or \"all\" by \"-all\" or \"~all\".",
            "RFC 7208 section 11.4");
    static final FindingCode ALL_NEUTRAL = new FindingCode(
            "neutral_all",
            Level.WARN,
            "all_qualifier",
            "The record says nothing of servers that it does not name, as if there were none.",
            "Replace \"?all\" by \"~all\" or \"-all\" once all your servers are named.",
            "RFC 7208 section 8.2");
    static final FindingCode NO_ALL = new FindingCode(
            "no_all",
            Level.WARN,
            "all_qualifier",
            "The record has neither \"all\" nor a redirect at its end, so other servers are neither"
                    + " allowed nor refused.",
            "End the record with \"-all\" or \"~all\".",
            "RFC 7208 section 4.7");
    static final FindingCode SOFTFAIL = new FindingCode(
            "softfail_all",
            Level.INFO,
            "all_qualifier",
            "Mail from other servers is to be suspected, not refused.",
            "With DMARC in force this is enough; without it, \"-all\" says more.",
            "RFC 7208 section 8.5");
    static final FindingCode AFTER_ALL = new FindingCode(
            "terms_after_all",
            Level.WARN,
            "record",
            "What stands after \"all\" is never looked at.",
            "Move it before \"all\", or take it out.",
            "RFC 7208 section 5.1");
    static final FindingCode REDIRECT_IGNORED = new FindingCode(
            "redirect_ignored",
            Level.WARN,
            "record",
            "The record has both \"all\" and a redirect; the redirect is never followed.",
            "Keep the one that you mean.",
            "RFC 7208 section 6.1");
    static final FindingCode PTR = new FindingCode(
            "ptr_used",
            Level.WARN,
            "record",
            "The record uses \"ptr\", which is slow, unreliable and not to be used any more.",
            "Name the servers by ip4, ip6 or a.",
            "RFC 7208 section 5.5");
    static final FindingCode WIDE = new FindingCode(
            "wide_network",
            Level.WARN,
            "record",
            "The record lets a very large part of the internet send in the domain's name.",
            "Name the addresses of your own servers only.",
            "RFC 7208 section 11.4");
    static final FindingCode FAILED = new FindingCode(
            "lookup_failed",
            Level.WARN,
            "errors",
            "A name in the record could not be looked up, so receivers may put the mail off.",
            "Check the name servers of that domain.",
            "RFC 7208 section 2.6.6");
    static final FindingCode INSIDE = new FindingCode(
            "private_names_hidden",
            Level.WARN,
            "record",
            "The record names something of a private network, which is not shown and helps nobody" + " outside.",
            "Take it out.",
            "RFC 1918 section 5");
    static final FindingCode LONG = new FindingCode(
            "long_record",
            Level.INFO,
            "record",
            "The record is so long that it may not fit into one small answer of the DNS.",
            "Shorten it to 450 characters or less, by include where it must be.",
            "RFC 7208 section 3.4");
    static final FindingCode MACROS = new FindingCode(
            "depends_on_mail",
            Level.INFO,
            "record",
            "A part of the record depends on the mail itself (macros) and was not followed.",
            "Nothing needs to be done.",
            "RFC 7208 section 7");
    static final FindingCode UNKNOWN_MODIFIER = new FindingCode(
            "unknown_modifier",
            Level.INFO,
            "record",
            "The record holds a part that no standard knows; receivers pass over it.",
            "Look for a typing error, such as = where a colon belongs.",
            "RFC 7208 section 6");
    static final FindingCode TWICE = new FindingCode(
            "repeated_term",
            Level.INFO,
            "record",
            "The same part stands in the record twice.",
            "Keep one; look-ups are counted for both.",
            "RFC 7208 section 4.6.4");
    static final FindingCode LOOKALIKE = new FindingCode(
            "lookalike",
            Level.WARN,
            "record",
            "A TXT record looks like SPF but does not begin with \"v=spf1 \", so nobody reads it.",
            "Correct its beginning, or delete it.",
            "RFC 7208 section 4.5");
    static final FindingCode NOT_FOLLOWED = new FindingCode(
            "not_all_followed",
            Level.INFO,
            "tree",
            "The record leads so far that not all of it was followed; there may be more wrong with it.",
            "Bring it down to 10 look-ups first.",
            "RFC 7208 section 4.6.4");

    static final ModuleDescription DESCRIPTION = ModuleDescription.of("spf", "SPF record", InputType.DOMAIN)
            .summary("Reads the record by which a domain says whose servers may send its mail (SPF), follows"
                    + " all that it includes, and checks every limit of the standard.")
            .category("mail")
            .asksTheDns()
            .fields(
                    FieldDescription.string("record", "Record", "The SPF record as it is; null when there is none.")
                            .orNull(),
                    FieldDescription.bool(
                            "valid",
                            "Valid",
                            "Whether there is one record, and receivers can follow it without an error. Null, with"
                                    + " an error, when a part of it could not be looked up."),
                    FieldDescription.string(
                                    "all_qualifier",
                                    "Other servers",
                                    "What happens to mail from servers that are not named: - is refused, ~ is"
                                            + " suspected, ? is left open, + is let in. Null when the record does not"
                                            + " say.")
                            .orNull()
                            .oneOf("+", "-", "~", "?"),
                    FieldDescription.integer(
                            "lookup_count",
                            "Look-ups",
                            "How many look-ups the record needs when no server matches; 10 are allowed."),
                    FieldDescription.integer(
                            "void_lookup_count", "Void look-ups", "How many of them find nothing; 2 are allowed."),
                    FieldDescription.bool("multiple", "Several records", "Whether there is more than one SPF record."),
                    FieldDescription.object(
                            "tree",
                            "Tree",
                            "The record part by part (terms), each with the record that it leads to (tree), the"
                                    + " look-ups it costs (lookup_count) and what is to be said of it (note)."),
                    FieldDescription.integer(
                            "ip4_count",
                            "IPv4 entries",
                            "How many IPv4 addresses and networks (ip4) are named, included records and all."),
                    FieldDescription.array(
                            "errors",
                            "Errors",
                            "What makes receivers give up on the record, or put the mail off.",
                            FieldType.STRING))
            .findings(
                    NO_RECORD,
                    SEVERAL,
                    SYNTAX,
                    TOO_MANY,
                    NEARLY_TOO_MANY,
                    TOO_MANY_VOID,
                    VOID,
                    TOO_MANY_MX,
                    INCLUDE_EMPTY,
                    INCLUDE_SEVERAL,
                    LOOP,
                    ALL_PASS,
                    ALL_NEUTRAL,
                    NO_ALL,
                    SOFTFAIL,
                    AFTER_ALL,
                    REDIRECT_IGNORED,
                    PTR,
                    WIDE,
                    FAILED,
                    INSIDE,
                    LONG,
                    MACROS,
                    UNKNOWN_MODIFIER,
                    TWICE,
                    LOOKALIKE,
                    NOT_FOLLOWED)
            .build();

    private SpfDescription() {}
}
