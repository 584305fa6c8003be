package dev.plumbline.module.mail;

import dev.plumbline.check.FieldDescription;
import dev.plumbline.check.FieldType;
import dev.plumbline.check.FindingCode;
import dev.plumbline.check.InputType;
import dev.plumbline.check.Level;
import dev.plumbline.check.ModuleDescription;

/** What {@link Mx} says of itself. */
final class MxDescription {
    static final FindingCode NO_SERVER = new FindingCode(
            "no_mail_server",
            Level.WARN,
            "records",
            "The domain has no mail server: no MX record and no address that could stand in for one.",
            "If it is to get mail, add an MX record. If it is not, say so by the MX record \"0 .\", so"
                    + " that senders learn it at once.",
            "RFC 5321 section 5.1, RFC 7505");
    static final FindingCode IMPLICIT = new FindingCode(
            "implicit_mx",
            Level.WARN,
            "implicit",
            "The domain has no MX record, so mail is tried at the address of the domain itself.",
            "Add an MX record that names the mail server; if the domain gets no mail, add \"0 .\".",
            "RFC 5321 section 5.1");
    static final FindingCode NULL_MX = new FindingCode(
            "null_mx",
            Level.INFO,
            "null_mx",
            "The domain says that it accepts no mail.",
            "Nothing needs to be done, unless it should get mail: then replace the record \"0 .\".",
            "RFC 7505 section 3");
    static final FindingCode NULL_MX_AND_MORE = new FindingCode(
            "null_mx_with_others",
            Level.FAIL,
            "records",
            "One MX record says that the domain accepts no mail, and others name mail servers.",
            "Keep either the record \"0 .\" or the others.",
            "RFC 7505 section 3");
    static final FindingCode NO_USABLE = new FindingCode(
            "no_usable_mx",
            Level.FAIL,
            "records",
            "None of the mail servers has an address that mail could be sent to.",
            "Let at least one MX record name a host with a public address.",
            "RFC 5321 section 5.1");
    static final FindingCode UNRESOLVABLE = new FindingCode(
            "mx_unresolvable",
            Level.WARN,
            "unresolvable",
            "A mail server that is named has no address.",
            "Add its address records, or take the MX record out.",
            "RFC 5321 section 5.1");
    static final FindingCode IS_ADDRESS = new FindingCode(
            "mx_is_address",
            Level.FAIL,
            "records",
            "An MX record holds an IP address, though it must hold a host name.",
            "Give the address a name by an A record, and name that in the MX record.",
            "RFC 1035 section 3.3.9");
    static final FindingCode ALIAS = new FindingCode(
            "mx_points_to_alias",
            Level.WARN,
            "points_to_cname",
            "A mail server is named by an alias (CNAME), which MX records must not do.",
            "Name the host that the alias leads to.",
            "RFC 2181 section 10.3");
    static final FindingCode INSIDE = new FindingCode(
            "mx_inside",
            Level.WARN,
            "records",
            "A mail server that is named belongs to a private network, where no mail from outside" + " arrives.",
            "Name a host with a public address, or take the MX record out.",
            "RFC 1918 section 5");
    static final FindingCode TWICE = new FindingCode(
            "mx_named_twice",
            Level.INFO,
            "records",
            "A mail server is named more than once.",
            "Keep one of its MX records.",
            "RFC 5321 section 5.1");
    static final FindingCode SINGLE = new FindingCode(
            "single_mx",
            Level.INFO,
            "records",
            "There is one mail server only; while it is away, mail waits at the senders.",
            "Nothing needs to be done, unless mail must not wait: then add a second one.",
            "RFC 5321 section 4.5.4");
    static final FindingCode NO_IPV6 = new FindingCode(
            "no_ipv6",
            Level.INFO,
            "records",
            "No mail server has an IPv6 address.",
            "Add AAAA records once the servers can be reached over IPv6.",
            "RFC 6540 section 2");
    static final FindingCode NO_TLS = new FindingCode(
            "no_starttls",
            Level.WARN,
            "records",
            "A mail server does not offer encryption (STARTTLS), so mail to it can be read on the way.",
            "Give the server a certificate and switch STARTTLS on.",
            "RFC 3207");
    static final FindingCode NOT_ASKED = new FindingCode(
            "mail_server_not_asked",
            Level.INFO,
            "records",
            "A mail server gave no answer on port 25, so nothing is known of its encryption. Many"
                    + " networks let nobody out on that port, so this need not be the server's fault.",
            "Check from another network that it answers on port 25.",
            "RFC 3207 section 4");
    static final FindingCode UNKNOWN = new FindingCode(
            "mx_lookup_failed",
            Level.WARN,
            "records",
            "The addresses of a mail server could not be found out.",
            "Check the name servers of its domain.",
            "RFC 5321 section 5.1");
    static final FindingCode MANY = new FindingCode(
            "many_mx",
            Level.INFO,
            "records",
            "There are so many mail servers that only the first "
                    + Mx.MOST_LOOKED_UP
                    + " were looked up and are listed.",
            "Fewer do; several addresses behind one name serve as well.",
            "RFC 5321 section 5.1");

    static final ModuleDescription DESCRIPTION = ModuleDescription.of("mx", "Mail servers (MX)", InputType.DOMAIN)
            .summary("Shows which servers take mail for a domain (its MX records), whether they have"
                    + " addresses, and whether they offer encryption.")
            .category("mail")
            .asksTheDns()
            .fields(
                    FieldDescription.table(
                            "records",
                            "Mail servers",
                            "The servers that take the domain's mail, the preferred first; no more than "
                                    + Mx.MOST_LOOKED_UP
                                    + ".",
                            FieldDescription.integer(
                                    "preference", "Preference", "Senders try the smallest number first."),
                            FieldDescription.string("host", "Host", "The server's name; a dot for no server at all."),
                            FieldDescription.array("ips", "Addresses", "Its IP addresses.", FieldType.STRING),
                            FieldDescription.bool(
                                            "tls",
                                            "Encryption",
                                            "Whether it offers STARTTLS on port 25; null when it was not asked (only"
                                                    + " the first "
                                                    + Mx.MOST_GREETED
                                                    + " are) or did not say within "
                                                    + Mx.GREETING_MS / 1000
                                                    + " seconds.")
                                    .orNull()),
                    FieldDescription.bool(
                            "null_mx", "No mail wanted", "Whether the domain says that it accepts no mail."),
                    FieldDescription.bool(
                            "implicit",
                            "Implicit",
                            "Whether there is no MX record and the domain's own address stands in for it."),
                    FieldDescription.array(
                            "unresolvable", "Without address", "The servers that have no address.", FieldType.STRING),
                    FieldDescription.array(
                            "points_to_cname",
                            "Aliases",
                            "The servers that are named by an alias (CNAME).",
                            FieldType.STRING))
            .findings(
                    NO_SERVER,
                    IMPLICIT,
                    NULL_MX,
                    NULL_MX_AND_MORE,
                    NO_USABLE,
                    UNRESOLVABLE,
                    IS_ADDRESS,
                    ALIAS,
                    INSIDE,
                    TWICE,
                    SINGLE,
                    NO_IPV6,
                    NO_TLS,
                    NOT_ASKED,
                    UNKNOWN,
                    MANY)
            .build();

    private MxDescription() {}
}
