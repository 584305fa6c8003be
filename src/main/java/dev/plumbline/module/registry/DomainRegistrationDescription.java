package dev.plumbline.module.registry;

import dev.plumbline.check.FieldDescription;
import dev.plumbline.check.FieldType;
import dev.plumbline.check.FindingCode;
import dev.plumbline.check.InputType;
import dev.plumbline.check.Level;
import dev.plumbline.check.ModuleDescription;
import dev.plumbline.check.OptionDescription;

/** The words of {@link DomainRegistration}. */
final class DomainRegistrationDescription {
    static final String SOURCE = "source";
    static final String RDAP = "rdap";
    static final String WHOIS = "whois";

    static final FindingCode NOT_REGISTERED = new FindingCode(
            "not_registered",
            Level.WARN,
            "registered",
            "Nobody has registered this domain.",
            "If it is meant to be yours, register it before somebody else does.",
            "RFC 7480 section 5.3");
    static final FindingCode NOT_UNDERSTOOD = new FindingCode(
            "answer_not_understood",
            Level.WARN,
            "registered",
            "The registry answered in words that are not understood here.",
            "Ask the registry on its own website.",
            "RFC 3912 section 2");
    static final FindingCode EXPIRED = new FindingCode(
            "registration_expired",
            Level.FAIL,
            "expires",
            "The registration has expired, so the domain may stop working and be given to others.",
            "Renew it with the registrar now.",
            "RFC 3915 section 2");
    static final FindingCode EXPIRES_SOON = new FindingCode(
            "registration_expires_soon",
            Level.WARN,
            "expires",
            "The registration ends within 30 days.",
            "Renew it, or see that the registrar renews it by itself.",
            "RFC 3915 section 2");
    static final FindingCode TO_BE_DELETED = new FindingCode(
            "about_to_be_deleted",
            Level.FAIL,
            "statuses",
            "The registry is about to delete the domain.",
            "Ask the registrar to restore it now; after some days anybody can register it.",
            "RFC 3915 section 3.1");
    static final FindingCode ON_HOLD = new FindingCode(
            "on_hold",
            Level.FAIL,
            "statuses",
            "The domain has been taken out of the DNS (hold), so nothing under it works.",
            "Ask the registrar why: often an address was not confirmed, or a bill not paid.",
            "RFC 5731 section 2.3");
    static final FindingCode NO_NAMESERVERS = new FindingCode(
            "no_nameservers",
            Level.WARN,
            "nameservers",
            "The registry knows no name servers of the domain, so nothing under it works.",
            "Enter the name servers with the registrar.",
            "RFC 1034 section 4.2.1");
    static final FindingCode ONE_NAMESERVER = new FindingCode(
            "one_nameserver",
            Level.WARN,
            "nameservers",
            "The domain has only one name server: when that fails, so does all that is under it.",
            "Enter a second one, in another network.",
            "RFC 2182 section 5");
    static final FindingCode NO_TRANSFER_LOCK = new FindingCode(
            "no_transfer_lock",
            Level.INFO,
            "statuses",
            "Nothing forbids to transfer the domain to another registrar.",
            "Turn the transfer lock on with the registrar, unless you are about to move.",
            "RFC 5731 section 2.3");
    static final FindingCode UNSIGNED = new FindingCode(
            "dnssec_unsigned",
            Level.INFO,
            "dnssec_signed",
            "The registry holds no key for the domain, so forged answers of the DNS go unnoticed" + " (DNSSEC).",
            "Turn DNSSEC on with whoever runs the name servers.",
            "RFC 9364 section 1.1");
    static final FindingCode NO_EXPIRY = new FindingCode(
            "expiry_not_told",
            Level.INFO,
            "expires",
            "The registry does not tell when the registration ends.",
            "Ask the registrar; some registries renew by themselves.",
            "RFC 9083 section 4.5");
    static final FindingCode RDAP_FAILED = new FindingCode(
            "rdap_failed",
            Level.INFO,
            "source_used",
            "The newer service (RDAP) gave no answer to use, so the older one (WHOIS) was asked.",
            "Nothing needs to be done; RDAP is asked first again next time.",
            "RFC 7480 section 5.4");

    static final ModuleDescription DESCRIPTION = ModuleDescription.of(
                    "domain-registration", "Domain registration", InputType.DOMAIN)
            .summary("Asks the registry of a domain whether it is registered, with whom, until when, and in which"
                    + " state (RDAP, WHOIS).")
            .category("registry")
            .example("example.com", "example.com")
            .options(OptionDescription.choice(
                    SOURCE,
                    "Source",
                    "Ask by RDAP, the newer service, by WHOIS, the older one, or by RDAP where there"
                            + " is one and it answers (auto).",
                    "auto",
                    RDAP,
                    WHOIS))
            .fields(
                    FieldDescription.bool(
                                    "registered",
                                    "Registered",
                                    "Whether somebody has registered it; null where the answer is not understood.")
                            .orNull(),
                    FieldDescription.string(
                            "registrable_domain",
                            "Registered name",
                            "The name that is registered: what stands right below a public ending as com or co.uk."),
                    FieldDescription.string("registrar", "Registrar", "The company it was registered with.")
                            .orNull(),
                    FieldDescription.integer(
                                    "iana_id", "Registrar's number", "The number that IANA gave the registrar.")
                            .orNull(),
                    FieldDescription.time("created", "Registered since", "When it was registered.")
                            .orNull(),
                    FieldDescription.time("updated", "Last change", "When its entry was changed last.")
                            .orNull(),
                    FieldDescription.time("expires", "Registered until", "When the registration ends.")
                            .orNull(),
                    FieldDescription.integer(
                                    "days_remaining",
                                    "Days left",
                                    "Whole days until the registration ends; negative after that.")
                            .orNull(),
                    FieldDescription.array(
                            "statuses",
                            "States",
                            "What the registry allows and does with it, as clientTransferProhibited (EPP).",
                            FieldType.STRING),
                    FieldDescription.array(
                            "nameservers",
                            "Name servers",
                            "The name servers that the registry holds for it.",
                            FieldType.STRING),
                    FieldDescription.bool(
                                    "dnssec_signed",
                                    "Signed",
                                    "Whether the registry holds a key by which answers are proved (DNSSEC).")
                            .orNull(),
                    FieldDescription.string("abuse_email", "Abuse address", "Where the registrar takes complaints.")
                            .orNull(),
                    FieldDescription.string("source_used", "Source", "Which service gave the answer.")
                            .oneOf(RDAP, WHOIS, "none"),
                    FieldDescription.bool(
                            "supported",
                            "Can be asked",
                            "Whether there is a service to ask about names with this ending."))
            .findings(
                    NOT_REGISTERED,
                    NOT_UNDERSTOOD,
                    TO_BE_DELETED,
                    ON_HOLD,
                    EXPIRED,
                    EXPIRES_SOON,
                    NO_NAMESERVERS,
                    ONE_NAMESERVER,
                    NO_TRANSFER_LOCK,
                    UNSIGNED,
                    NO_EXPIRY,
                    RDAP_FAILED)
            .build();

    private DomainRegistrationDescription() {}
}
