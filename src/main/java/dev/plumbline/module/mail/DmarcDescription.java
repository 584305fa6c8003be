package dev.plumbline.module.mail;

import dev.plumbline.check.FieldDescription;
import dev.plumbline.check.FieldType;
import dev.plumbline.check.FindingCode;
import dev.plumbline.check.InputType;
import dev.plumbline.check.Level;
import dev.plumbline.check.ModuleDescription;

/** What {@link Dmarc} says of itself. */
final class DmarcDescription {
    static final FindingCode NO_RECORD = new FindingCode(
            "no_record",
            Level.FAIL,
            "record",
            "The domain has no DMARC record, so receivers may let mail through that only pretends to be" + " from it.",
            "Publish a TXT record at _dmarc below the domain; begin with \"v=DMARC1; p=none;"
                    + " rua=mailto:you@example.com\" and read the reports before you ask for more.",
            "RFC 7489 section 6.1");
    static final FindingCode SEVERAL = new FindingCode(
            "several_records",
            Level.FAIL,
            "record",
            "There is more than one DMARC record, so receivers use none of them.",
            "Keep one.",
            "RFC 7489 section 6.6.3");
    static final FindingCode NO_POLICY = new FindingCode(
            "no_policy",
            Level.FAIL,
            "policy",
            "The record does not say what to do with mail that only pretends to be from the domain.",
            "Write p=none, p=quarantine or p=reject right after v=DMARC1.",
            "RFC 7489 section 6.3");
    static final FindingCode SYNTAX = new FindingCode(
            "syntax_error",
            Level.FAIL,
            "errors",
            "A part of the record cannot be read.",
            "Correct it or take it out.",
            "RFC 7489 section 6.4");
    static final FindingCode NONE = new FindingCode(
            "policy_none",
            Level.WARN,
            "policy",
            "The record asks for nothing but reports: mail that only pretends to be from the domain is"
                    + " let through.",
            "When the reports show that your own mail passes, ask for p=quarantine, then p=reject.",
            "RFC 7489 section 6.3");
    static final FindingCode QUARANTINE = new FindingCode(
            "policy_quarantine",
            Level.INFO,
            "policy",
            "Mail that only pretends to be from the domain is put aside as suspicious, not refused.",
            "When nothing of yours ends there any more, ask for p=reject.",
            "RFC 7489 section 6.3");
    static final FindingCode WEAK_SUBDOMAINS = new FindingCode(
            "subdomain_policy_weaker",
            Level.WARN,
            "subdomain_policy",
            "Names below the domain are protected less than the domain itself, so fakes will use those.",
            "Take out sp, or make it as strict as p.",
            "RFC 7489 section 6.3");
    static final FindingCode PARTIAL = new FindingCode(
            "policy_partial",
            Level.WARN,
            "pct",
            "The policy is asked for a part of the mail only.",
            "Take out pct, or set it to 100, when you are done with trying.",
            "RFC 7489 section 6.6.4");
    static final FindingCode TESTING = new FindingCode(
            "policy_testing",
            Level.WARN,
            "policy",
            "The policy is in test mode (t=y): receivers do not apply it, but the next milder one.",
            "Take out t, or set it to n, when you are done with trying.",
            "RFC 9989 section 4.7");
    static final FindingCode NO_REPORTS = new FindingCode(
            "no_reports",
            Level.WARN,
            "rua",
            "Nobody gets the daily reports, so you will not see whose mail fails.",
            "Add rua=mailto: and an address that somebody, or some service, reads.",
            "RFC 7489 section 7.2");
    static final FindingCode UNAUTHORISED = new FindingCode(
            "report_not_authorised",
            Level.WARN,
            "external_authorised",
            "Reports are to go to another domain that has not agreed to get them, so none are sent.",
            "Have that domain publish the TXT record \"v=DMARC1\" for yours, or use an address of your" + " own.",
            "RFC 7489 section 7.1");
    static final FindingCode REPORT_UNKNOWN = new FindingCode(
            "report_authorisation_unknown",
            Level.INFO,
            "external_authorised",
            "Whether another domain has agreed to get the reports could not be found out.",
            "Try again later; check the name servers of that domain.",
            "RFC 7489 section 7.1");
    static final FindingCode MANY_REPORTS = new FindingCode(
            "many_report_addresses",
            Level.INFO,
            "rua",
            "There are more than two addresses for reports; receivers need not serve more.",
            "Keep the two that matter.",
            "RFC 7489 section 6.2");
    static final FindingCode INHERITED = new FindingCode(
            "inherited",
            Level.INFO,
            "inherited_from",
            "The name has no record of its own; the one of the domain above it holds.",
            "Nothing needs to be done, unless this name is to be treated differently.",
            "RFC 7489 section 6.6.3");
    static final FindingCode NOT_FIRST = new FindingCode(
            "policy_not_first",
            Level.WARN,
            "record",
            "The policy (p) does not stand right after v=DMARC1, where some receivers expect it.",
            "Move p=… right after v=DMARC1.",
            "RFC 7489 section 6.3");
    static final FindingCode UNKNOWN_TAG = new FindingCode(
            "unknown_tag",
            Level.INFO,
            "record",
            "The record holds a tag that no standard knows; receivers pass over it.",
            "Look for a typing error.",
            "RFC 7489 section 6.3");
    static final FindingCode LOOKALIKE = new FindingCode(
            "lookalike",
            Level.WARN,
            "record",
            "A TXT record looks like DMARC but does not begin with \"v=DMARC1;\", in capitals, so nobody"
                    + " reads it.",
            "Correct its beginning, or delete it.",
            "RFC 7489 section 6.6.3");

    static final ModuleDescription DESCRIPTION = ModuleDescription.of("dmarc", "DMARC record", InputType.DOMAIN)
            .summary("Reads what a domain asks receivers to do with mail that only pretends to be from it"
                    + " (DMARC), where the record is inherited from, and who gets the reports.")
            .category("mail")
            .asksTheDns()
            .fields(
                    FieldDescription.string("record", "Record", "The DMARC record as it is; null when there is none.")
                            .orNull(),
                    FieldDescription.bool("valid", "Valid", "Whether there is one record and nothing in it is wrong."),
                    FieldDescription.string(
                                    "policy",
                                    "Policy",
                                    "What is to happen to mail of the record's own domain that fails: none"
                                            + " (nothing), quarantine (put aside), reject (refuse).")
                            .orNull()
                            .oneOf("none", "quarantine", "reject"),
                    FieldDescription.string(
                                    "subdomain_policy",
                                    "Policy below",
                                    "The same for names below that domain; it holds where inherited_from is set.")
                            .orNull()
                            .oneOf("none", "quarantine", "reject"),
                    FieldDescription.integer("pct", "Share", "To how much of the mail the policy applies, in percent.")
                            .orNull(),
                    FieldDescription.array(
                            "rua",
                            "Daily reports",
                            "Where summaries are to be sent (aggregate reports).",
                            FieldType.STRING),
                    FieldDescription.array(
                            "ruf",
                            "Single reports",
                            "Where reports of single failures are to be sent.",
                            FieldType.STRING),
                    FieldDescription.string(
                                    "aspf",
                                    "SPF match",
                                    "How exactly the domain checked by SPF must match: r (same organisation) or s"
                                            + " (same name).")
                            .oneOf("r", "s"),
                    FieldDescription.string(
                                    "adkim",
                                    "DKIM match",
                                    "How exactly the domain that signs (DKIM) must match: r (same organisation) or s"
                                            + " (same name).")
                            .oneOf("r", "s"),
                    FieldDescription.string(
                                    "inherited_from",
                                    "Inherited from",
                                    "The domain whose record holds, where the name has none of its own; else null.")
                            .orNull(),
                    FieldDescription.bool(
                                    "external_authorised",
                                    "Reports agreed",
                                    "Whether the other domains that reports go to have agreed to it; null where there"
                                            + " are none or it could not be found out.")
                            .orNull(),
                    FieldDescription.array("errors", "Errors", "What is wrong with the record.", FieldType.STRING))
            .findings(
                    NO_RECORD,
                    SEVERAL,
                    NO_POLICY,
                    SYNTAX,
                    NONE,
                    QUARANTINE,
                    WEAK_SUBDOMAINS,
                    PARTIAL,
                    TESTING,
                    NO_REPORTS,
                    UNAUTHORISED,
                    REPORT_UNKNOWN,
                    MANY_REPORTS,
                    INHERITED,
                    NOT_FIRST,
                    UNKNOWN_TAG,
                    LOOKALIKE)
            .build();

    private DmarcDescription() {}
}
