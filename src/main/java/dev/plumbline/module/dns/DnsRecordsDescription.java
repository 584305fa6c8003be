package dev.plumbline.module.dns;

import dev.plumbline.check.FieldDescription;
import dev.plumbline.check.FindingCode;
import dev.plumbline.check.InputType;
import dev.plumbline.check.Level;
import dev.plumbline.check.ModuleDescription;
import dev.plumbline.check.OptionDescription;
import java.util.regex.Pattern;

/** What {@link DnsRecords} says of itself. */
final class DnsRecordsDescription {
    static final FindingCode NXDOMAIN = new FindingCode(
            "name_does_not_exist",
            Level.INFO,
            "rcode",
            "The name does not exist: there is no record of any type, and none below it.",
            "Look for a typing error; a new or lapsed registration is in no zone either.",
            "RFC 8020 section 2");
    static final FindingCode DENIED = new FindingCode(
            "denied_though_it_exists",
            Level.WARN,
            "rcode",
            "For some record types the name is said not to exist, though it has records of others.",
            "A name server that says so for types it does not know hides the name from newer clients:" + " update it.",
            "RFC 4074 section 4.2");
    static final FindingCode DANGLING = new FindingCode(
            "dangling_alias",
            Level.FAIL,
            "rcode",
            "The name is an alias of another name, and that one does not exist.",
            "Take the CNAME out, or let it lead to a name that exists. Whoever can register the missing"
                    + " name takes this one over.",
            "RFC 1034 section 3.6.2");
    static final FindingCode BROKEN_ALIAS = new FindingCode(
            "broken_alias",
            Level.FAIL,
            "records",
            "The name is an alias, and what it leads to cannot be found out: its aliases run in a loop,"
                    + " or the servers of the other name fail.",
            "Let the CNAME lead to a name that has addresses.",
            "RFC 1034 section 3.6.2");
    static final FindingCode ALIAS_AND_MORE = new FindingCode(
            "alias_with_other_records",
            Level.FAIL,
            "records",
            "The name has a CNAME and other records beside it, so resolvers see now one, now the other.",
            "A name with a CNAME has nothing else: move the other records, or replace the CNAME by" + " addresses.",
            "RFC 1034 section 3.6.2");
    static final FindingCode ALIAS_AT_APEX = new FindingCode(
            "alias_at_apex",
            Level.FAIL,
            "records",
            "The domain itself is an alias, which hides its own NS, SOA and MX records.",
            "Replace the CNAME by A and AAAA records, or use what your DNS provider has for it (ALIAS,"
                    + " ANAME, flattening).",
            "RFC 1912 section 2.4");
    static final FindingCode SEVERAL_ALIASES = new FindingCode(
            "several_aliases",
            Level.FAIL,
            "records",
            "The name has more than one CNAME, though it can be an alias of one name only.",
            "Keep one of them.",
            "RFC 2181 section 10.1");
    static final FindingCode LONG_ALIASES = new FindingCode(
            "long_alias_chain",
            Level.INFO,
            "records",
            "The name is an alias of an alias of an alias; each step costs a look-up and can break.",
            "Let the first CNAME lead straight to the last name where you can.",
            "RFC 1034 section 3.6.2");
    static final FindingCode UNANSWERED = new FindingCode(
            "types_unanswered",
            Level.WARN,
            "records",
            "Some record types got no answer, though others did.",
            "A name server that fails for types it does not know breaks newer clients: update it.",
            "RFC 8906 section 3.1.2");
    static final FindingCode HIDDEN = new FindingCode(
            "private_records_hidden",
            Level.WARN,
            "records",
            "Some records name hosts of a private network and are not shown.",
            "If they are public, take them out of the public DNS: nobody outside can use them.",
            "RFC 6762 appendix G");
    static final FindingCode SINGLE_SERVER = new FindingCode(
            "single_name_server",
            Level.WARN,
            "records",
            "Only one name server is named for the domain; while it is away, the domain is too.",
            "Add a second one, in another network.",
            "RFC 2182 section 5");
    static final FindingCode TTLS_DIFFER = new FindingCode(
            "ttls_differ",
            Level.WARN,
            "ttl_min",
            "Records of one name and type have different times to live, which they must not.",
            "Give all records of a name and type the same time to live.",
            "RFC 2181 section 5.2");
    static final FindingCode NOTHING = new FindingCode(
            "no_records",
            Level.INFO,
            "records",
            "The name exists, but has no records of the types asked for.",
            "Nothing needs to be done, unless you expected some here.",
            "RFC 2308 section 2.2");
    static final FindingCode NO_IPV6 = new FindingCode(
            "no_ipv6",
            Level.INFO,
            "records",
            "The name has IPv4 addresses only.",
            "Add AAAA records once the servers behind it can be reached over IPv6.",
            "RFC 6540 section 2");
    static final FindingCode WILDCARD = new FindingCode(
            "wildcard",
            Level.INFO,
            "wildcard",
            "Names below this one that nobody set up exist as well, by a wildcard record.",
            "Nothing needs to be done, unless you did not mean it: a wildcard hides typing errors.",
            "RFC 4592 section 2.1");
    static final FindingCode SHORT_TTL = new FindingCode(
            "short_ttl",
            Level.INFO,
            "ttl_min",
            "Some records may be kept for less than a minute, so visitors often wait for a look-up.",
            "Raise the time to live, unless you are about to change the records.",
            "RFC 1912 section 2.2");
    static final FindingCode LONG_TTL = new FindingCode(
            "long_ttl",
            Level.INFO,
            "ttl_min",
            "The records may be kept for more than a week, so a change takes as long to be seen.",
            "Lower the time to live to a day or less.",
            "RFC 8767 section 4");

    static final ModuleDescription DESCRIPTION = ModuleDescription.of("dns-records", "DNS records", InputType.DOMAIN)
            .summary("Shows what the domain name system (DNS) says of a name: its addresses, mail and name"
                    + " servers, texts and more, and what is wrong with them.")
            .category("dns")
            .asksTheDns()
            .options(OptionDescription.list(
                    DnsRecords.TYPES,
                    "Record types",
                    "Which types of records to look up, in capitals: "
                            + String.join(", ", DnsRecords.USUAL)
                            + ", "
                            + String.join(", ", DnsRecords.UNUSUAL)
                            + ".",
                    DnsRecords.USUAL,
                    Pattern.compile(String.join("|", DnsRecords.USUAL) + "|" + String.join("|", DnsRecords.UNUSUAL)),
                    10,
                    20))
            .fields(
                    FieldDescription.string(
                            "rcode",
                            "Response code",
                            "What the resolver answered: NOERROR (the name exists), NXDOMAIN (it does not, or"
                                    + " what it is an alias of; no type has records), SERVFAIL (it could not be found out)."),
                    FieldDescription.object(
                            "records",
                            "Records",
                            "The records found, by type; under CNAME the whole way of an alias. Each has its owner (name), how long it may be kept"
                                    + " (ttl_seconds), its content as in a zone file (data) and, for MX, SRV, SOA,"
                                    + " CAA and TXT, the parts of it."),
                    FieldDescription.integer(
                                    "ttl_min",
                                    "Shortest time to live",
                                    "The shortest time for which one of the records may be kept, in seconds; null"
                                            + " without records.")
                            .orNull(),
                    FieldDescription.bool(
                            "wildcard",
                            "Wildcard",
                            "Whether a random name below this one, which nobody set up, has records: of type A,"
                                    + " or of the first type that is asked for. Null, with an error, when it could"
                                    + " not be found out."),
                    FieldDescription.bool(
                            "authoritative",
                            "Authoritative",
                            "Whether the answers came from a server of the domain itself (the AA flag), not"
                                    + " from a resolver's memory."),
                    FieldDescription.number(
                            "response_ms",
                            "Response time",
                            "How long the resolver took for the slowest of the answers, in ms."))
            .findings(
                    NXDOMAIN,
                    DENIED,
                    DANGLING,
                    BROKEN_ALIAS,
                    ALIAS_AND_MORE,
                    ALIAS_AT_APEX,
                    SEVERAL_ALIASES,
                    LONG_ALIASES,
                    UNANSWERED,
                    HIDDEN,
                    SINGLE_SERVER,
                    TTLS_DIFFER,
                    NOTHING,
                    NO_IPV6,
                    WILDCARD,
                    SHORT_TTL,
                    LONG_TTL)
            .build();

    private DnsRecordsDescription() {}
}
