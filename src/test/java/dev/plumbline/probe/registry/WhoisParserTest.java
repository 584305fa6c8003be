package dev.plumbline.probe.registry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.lab.RegistryResponses;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.constraints.StringLength;

class WhoisParserTest {
    private static final List<String> ALL = List.of(
            RegistryResponses.VERISIGN,
            RegistryResponses.ORG,
            RegistryResponses.DE,
            RegistryResponses.UK,
            RegistryResponses.FR,
            RegistryResponses.JP,
            RegistryResponses.CO_JP,
            RegistryResponses.BR,
            RegistryResponses.EU,
            RegistryResponses.NL,
            RegistryResponses.IT,
            RegistryResponses.FI);

    @Example
    void readsVerisign() {
        assertThat(WhoisParser.read(RegistryResponses.VERISIGN))
                .isEqualTo(new RegistrationRecord(
                        true,
                        "Registrar Test, Inc.",
                        376,
                        Instant.parse("1995-08-14T04:00:00Z"),
                        Instant.parse("2024-08-14T07:01:34Z"),
                        Instant.parse("2035-08-13T04:00:00Z"),
                        List.of("clientDeleteProhibited", "clientTransferProhibited"),
                        List.of("a.ns.test", "b.ns.test"),
                        true,
                        null,
                        EnumSet.allOf(RegistrationRecord.Part.class)));
    }

    @Example
    void readsOrg() {
        RegistrationRecord registration = WhoisParser.read(RegistryResponses.ORG);

        assertThat(registration.updated()).isEqualTo("2024-09-01T10:00:00Z");
        assertThat(registration.dnssecSigned()).isFalse();
        assertThat(registration.abuseEmail()).isEqualTo("abuse@registrar.test");
        assertThat(registration.statuses()).containsExactly("serverTransferProhibited");
    }

    @Example
    void readsDe() {
        assertThat(WhoisParser.read(RegistryResponses.DE))
                .isEqualTo(new RegistrationRecord(
                        true,
                        null,
                        null,
                        null,
                        Instant.parse("2018-03-12T20:44:25Z"),
                        null,
                        List.of("connect"),
                        List.of("ns1.example.de", "ns2.test.net"),
                        true,
                        null,
                        EnumSet.of(RegistrationRecord.Part.EXPIRY, RegistrationRecord.Part.NAMESERVERS)));
    }

    @Example
    void readsUk() {
        RegistrationRecord registration = WhoisParser.read(RegistryResponses.UK);

        assertThat(registration.registrar()).isEqualTo("Registrar Test Ltd");
        assertThat(registration.created()).isEqualTo("1996-11-26T00:00:00Z");
        assertThat(registration.expires()).isEqualTo("2030-11-26T00:00:00Z");
        assertThat(registration.updated()).isEqualTo("2024-10-01T00:00:00Z");
        assertThat(registration.nameservers()).containsExactly("ns1.example.co.uk", "ns2.test.net");
        assertThat(registration.dnssecSigned()).isTrue();
    }

    @Example
    void readsFr() {
        RegistrationRecord registration = WhoisParser.read(RegistryResponses.FR);

        assertThat(registration.registrar()).isEqualTo("REGISTRAR TEST");
        assertThat(registration.created()).isEqualTo("2004-07-04T10:00:00Z");
        assertThat(registration.updated()).isEqualTo("2024-05-04T10:00:00Z");
        assertThat(registration.expires()).isEqualTo("2030-07-04T10:00:00Z");
        assertThat(registration.statuses()).containsExactly("ACTIVE", "serverTransferProhibited");
        assertThat(registration.nameservers()).containsExactly("ns1.test.fr", "ns2.test.fr");
        assertThat(registration.dnssecSigned()).isTrue();
    }

    @Example
    void readsJp() {
        RegistrationRecord registration = WhoisParser.read(RegistryResponses.JP);

        assertThat(registration.created()).isEqualTo("2001-08-22T00:00:00Z");
        assertThat(registration.expires()).isEqualTo("2030-08-31T00:00:00Z");
        assertThat(registration.updated()).isEqualTo("2024-08-31T16:05:04Z");
        assertThat(registration.statuses()).containsExactly("Active");
        assertThat(registration.nameservers()).containsExactly("ns1.test.jp", "ns2.test.jp");
        assertThat(registration.dnssecSigned()).isNull();

        RegistrationRecord company = WhoisParser.read(RegistryResponses.CO_JP);
        assertThat(company.created()).isEqualTo("1997-03-04T00:00:00Z");
        assertThat(company.statuses()).containsExactly("Connected");
        assertThat(company.expires()).isEqualTo("2031-03-31T00:00:00Z");
        assertThat(company.nameservers()).containsExactly("ns1.test.jp", "ns2.test.jp");
    }

    @Example
    void readsBr() {
        RegistrationRecord registration = WhoisParser.read(RegistryResponses.BR);

        assertThat(registration.created()).isEqualTo("1999-05-18T00:00:00Z");
        assertThat(registration.updated()).isEqualTo("2024-06-01T00:00:00Z");
        assertThat(registration.expires()).isEqualTo("2030-05-18T00:00:00Z");
        assertThat(registration.nameservers()).containsExactly("ns1.test.com.br", "ns2.test.com.br");
        assertThat(registration.dnssecSigned()).isTrue();
    }

    @Example
    void readsEu() {
        RegistrationRecord registration = WhoisParser.read(RegistryResponses.EU);

        assertThat(registration.registrar()).isEqualTo("Registrar Test BV");
        assertThat(registration.nameservers()).containsExactly("ns1.test.eu", "ns2.example.eu");
        assertThat(registration.registered()).isTrue();
    }

    @Example
    void readsNlItAndFi() {
        RegistrationRecord nl = WhoisParser.read(RegistryResponses.NL);
        assertThat(nl.registrar()).isEqualTo("Registrar Test B.V.");
        assertThat(nl.created()).isEqualTo("1999-05-27T00:00:00Z");
        assertThat(nl.dnssecSigned()).isTrue();
        assertThat(nl.nameservers()).containsExactly("ns1.test.nl", "ns2.test.nl");

        RegistrationRecord it = WhoisParser.read(RegistryResponses.IT);
        assertThat(it.registrar()).isEqualTo("Registrar Test srl");
        assertThat(it.created()).isEqualTo("1999-12-10T00:00:00Z");
        assertThat(it.expires()).isEqualTo("2030-12-11T00:00:00Z");
        assertThat(it.nameservers()).containsExactly("ns1.test.it", "ns2.test.it");
        assertThat(it.dnssecSigned()).isFalse();

        RegistrationRecord fi = WhoisParser.read(RegistryResponses.FI);
        assertThat(fi.registrar()).isEqualTo("Registrar Test Oy");
        assertThat(fi.created()).isEqualTo("1991-01-01T00:00:00Z");
        assertThat(fi.expires()).isEqualTo("2030-08-31T00:00:00Z");
        assertThat(fi.updated()).isEqualTo("2024-07-25T09:10:11Z");
        assertThat(fi.nameservers()).containsExactly("ns1.test.fi", "ns2.test.fi");
        assertThat(fi.dnssecSigned()).isFalse();
    }

    @Example
    void recognizesUnregisteredDomains() {
        for (String text : List.of(
                "No match for \"NOBODY.COM\".\n>>> Last update of whois database: now <<<",
                "NOT FOUND\n",
                "Domain not found.\n",
                "Domain: nobody.de\nStatus: free\n",
                "% EURid\nDomain: nobody.eu\nScript: LATIN\n\nStatus: AVAILABLE\n",
                "    No match for \"nobody.co.uk\".\n\n    This domain name has not been registered.\n",
                "%% NOT FOUND\n",
                "No match!!\n\nJPRS WHOIS",
                "% No match for nobody.com.br\n",
                "No entries found for the selected source(s).\n",
                "No Object Found",
                "nobody.nl is free\n",
                "The queried object does not exist: DOMAIN NOT FOUND",
                "nobody.io is available for registration",
                "domain \"nobody.se\" not found.\n",
                "The requested domain was not found in the Registry\n",
                "% No data was found to match the request criteria.\n",
                "No information available about domain name nobody.pl\n",
                "domain: nobody.test\nregistration status: available\n",
                "Domain:             nobody.it\nStatus:             AVAILABLE\n")) {
            assertThat(WhoisParser.read(text)).as(text).isEqualTo(RegistrationRecord.NOT_REGISTERED);
            assertThat(WhoisParser.isRateLimited(text)).as(text).isFalse();
        }
    }

    @Example
    void recognizesStatusesOfUnregisteredDomains() {
        for (String text : List.of(
                "Domain Name: nobody.test\nDomain Status: No Object Found\n\nTERMS OF USE: Data is available at https://x.test\n",
                "Domain Information\nQuery: nobody.test\nStatus: Not Registered\n",
                "domain_name: nobody.test\nquery_status: 220 Available\n",
                "Domain: nobody.test\nStatus: AVAILABLE (No match for domain \"nobody.test\")\n",
                "Domain:\n     nobody.test\n\nDomain Status:\n     Not Registered\n",
                "Available\nDomain: nobody.test\n>>> Last update: now <<<\n",
                "%ERROR:101: no entries found\n%\n% see https://x.test\n",
                "*** Nothing found for this query.\n",
                ">>> Domain nobody.test is available for registration\n>>> Please visit https://x.test\n",
                "Nincs talalat / No match\n")) {
            assertThat(WhoisParser.read(text)).as(text).isEqualTo(RegistrationRecord.NOT_REGISTERED);
        }
    }

    /**
     * A name is reported as registered or not only on positive evidence: names can be blocked, and queries can be
     * rejected.
     */
    @Example
    void isUndeterminedWithoutPositiveEvidence() {
        for (String text : List.of(
                "",
                "Reserved by the registry\n",
                "Domain Name: x.test\nDomain Status: Reserved Name\n",
                "Domain Name: x.test\nDomain Status: Prohibited String - Object Cannot Be Registered\n",
                "Domain: x.test\nStatus: UNASSIGNABLE\n",
                "Domain: x.y.test\nStatus: invalid\n",
                "Domain name: x.test\nDomain status: unavailable\nError message: The name is in conflict with another.\n",
                "Query: x.test\nStatus: This server does not have records for that zone.\n",
                "Status: PREMIUM NAME (No match for domain \"x.test\")\n",
                "domain_name: x.test\nquery_status: 440 Request Denied\n",
                "This platinum domain is available for purchase.\n",
                "Domain x.test is not registered here.\n",
                "Domain not found, marked private, or error in your query.\n",
                "%% Too many requests...\n%%\n%% No entries found in the Database.\n",
                "Use this service to check whether a name is still\navailable\nor not. Terms are available at https://x.test\n",
                "Registration of this name is not possible. Details are available at https://x.test\n")) {
            assertThat(WhoisParser.read(text)).as(text).isEqualTo(RegistrationRecord.UNKNOWN);
        }
    }

    @Example
    void ignoresTheTermsOfUseOfARegisteredDomain() {
        RegistrationRecord registration = WhoisParser.read(
                """
                Domain Name            : example.test

                Registered for         : Example Ltd
                                         1 High Street

                Record Created         : Fri Mar 29 22:03:53 GMT 2002

                Domain Name Servers listed in order:

                  ns1.test.org
                  ns2.test.org

                Registration of names can be made using the tool
                available at http://www.registry.test/
                """);

        assertThat(registration.registered()).isTrue();
        assertThat(registration.created()).isEqualTo("2002-03-29T22:03:53Z");
        assertThat(registration.nameservers()).containsExactly("ns1.test.org", "ns2.test.org");
    }

    @Example
    void readsNameserversInEveryLayout() {
        for (String layout : List.of(
                "Name Servers Information:\n\nNS1.TEST.ORG\nNS2.TEST.ORG\n",
                "   Domain servers in listed order:\n      ns1.test.org\n      ns2.test.org   192.0.2.1\n",
                "Primary Name Server\n   Host Name     : ns1.test.org\n\nSecondary Name Server\n   Host Name : ns2.test.org\n",
                "Nameserver in listed order\n\nPrimary server...: ns1.test.org\nPrimary ip address...: 192.0.2.1\n\n"
                        + "Secondary server.: ns2.test.org\n",
                "DNS:      example.test\n\nNameservers\nHostname:   ns1.test.org\nHandle:   X1\nHostname:   ns2.test.org\n",
                "nameservers:     ns1.test.org. [192.0.2.1]\n                 ns2.test.org. [2001:db8::1]\ncreated: 2001.01.01\n",
                "Name Server 1: ns1.test.org\nName Server 2: ns2.test.org\n",
                "ns_name_01: ns1.test.org\nns_name_02: ns2.test.org\n",
                "Name servers\nns1.test.org\t192.0.2.1\nns1.test.org\t2001:db8::1\nns2.test.org\t192.0.2.2\n",
                "Servidor(es) de Nombres de Dominio:\n\n   - ns1.test.org\n   - ns2.test.org\n",
                "   Nameserver: example.test\tNS\tns1.test.org.\n   Nameserver: example.test\tNS\tns2.test.org.\n",
                "dns_name            ns1.test.org\ndns_name            ns2.test.org\n")) {
            RegistrationRecord registration =
                    WhoisParser.read("Domain Name: example.test\nRegistrar: Registrar Test\n" + layout);

            assertThat(registration.nameservers()).as(layout).containsExactly("ns1.test.org", "ns2.test.org");
            assertThat(registration.complete()).as(layout).contains(RegistrationRecord.Part.NAMESERVERS);
        }
    }

    @Example
    void readsDatesInEveryLayout() {
        for (String layout : List.of(
                "Record created on 2001-02-03\nRecord last updated on 2002-03-04\nRecord expires on 2033-04-05\n",
                "   Record expires on 2033-04-05 (YYYY-MM-DD)\n   Record created on 2001-02-03 (YYYY-MM-DD)\n"
                        + "   Last modified : 2002-03-04 00:00:00 (GMT+0:00)\n",
                "Registered Date : 2001. 02. 03.\nLast Updated Date : 2002. 03. 04.\nExpiration Date : 2033. 04. 05.\n",
                "Registered:         3rd February, 2001\nExpiry:  5th April, 2033\nUpdated:   04.03.2002\n",
                "Entry created:\n\tSaturday 3rd February 2001\n\nEntry updated:\n\tMonday 4th Mar 2002\n\n"
                        + "Renewal date:\n\tTuesday 5th April 2033\n",
                "Data / Creation Date (dd/mm/yyyy): 03/02/2001\nFim / Expiration Date (dd/mm/yyyy): 05/04/2033\n"
                        + "Modified Date: 04-Mar-2002\n",
                "Domain Create Date:03-Feb-2001 00:00:00 UTC\nDomain Last Updated Date:04-Mar-2002\n"
                        + "Domain Expiration Date:05-Apr-2033\n",
                "created:    0-TEST 20010203000000\nchanged:    X-TEST 20020304000000\nstatus:   OK-UNTIL 20330405000000\n",
                "created:  20010203\nchanged:  20020101\nchanged:  reg AT test 20020304 (Changed)\npaid-till:  2033-04-05\n")) {
            RegistrationRecord registration = WhoisParser.read("Domain Name: example.test\n" + layout);

            assertThat(registration.created()).as(layout).isEqualTo("2001-02-03T00:00:00Z");
            assertThat(registration.updated()).as(layout).isEqualTo("2002-03-04T00:00:00Z");
            assertThat(registration.expires()).as(layout).isEqualTo("2033-04-05T00:00:00Z");
        }
    }

    @Example
    void readsTheOrderOfDayAndMonthFromTheText() {
        assertThat(WhoisParser.read("Domain name: a.test\nRegistered: 11/29/2016\nExpires: 01/03/2032\n")
                        .expires())
                .isEqualTo("2032-01-03T00:00:00Z");
        RegistrationRecord ambiguous =
                WhoisParser.read("Domain name: a.test\nRegistered: 03/04/2016\nExpires: 01/03/2032\n");
        assertThat(ambiguous.expires()).isNull();
        assertThat(ambiguous.complete()).isEmpty();
    }

    /** Contacts, registrars and sets of nameservers have dates and statuses of their own. */
    @Example
    void separatesTheDomainFromOtherObjects() {
        RegistrationRecord registry = WhoisParser.read(
                """
                domain:       example.test
                registrant:   ID-1
                nsset:        NS-1
                registrar:    REG-TEST
                registered:   01.02.2003 10:00:00
                changed:      02.03.2004 10:00:00
                expire:       01.02.2033

                contact:      ID-1
                org:          Example
                status:       linked
                created:      18.05.2011 23:28:26
                changed:      18.05.2015 23:28:26

                nsset:        NS-1
                nserver:      ns1.test.org
                nserver:      ns2.test.org
                created:      18.05.2011 23:27:16
                changed:      18.05.2016 23:28:26
                """);
        assertThat(registry.created()).isEqualTo("2003-02-01T10:00:00Z");
        assertThat(registry.updated()).isEqualTo("2004-03-02T10:00:00Z");
        assertThat(registry.statuses()).isEmpty();
        assertThat(registry.nameservers()).containsExactly("ns1.test.org", "ns2.test.org");

        RegistrationRecord headings = WhoisParser.read(
                """
                Domain name:
                   EXAMPLE.TEST is Active

                Owner contact:
                   Name:    Somebody
                   State:   Somewhere
                   Created: 2011-01-01

                Registrar:
                name:      Registrar Test
                changed:   2012-01-01

                Domain Nameservers:
                   NS1.TEST.ORG
                   NS2.TEST.ORG

                Domain registered: 2003-02-01
                Record will expire on: 2033-02-01
                """);
        assertThat(headings.registrar()).isEqualTo("Registrar Test");
        assertThat(headings.statuses()).isEmpty();
        assertThat(headings.created()).isEqualTo("2003-02-01T00:00:00Z");
        assertThat(headings.updated()).isNull();
        assertThat(headings.expires()).isEqualTo("2033-02-01T00:00:00Z");
    }

    @Example
    void readsLists() {
        for (String layout : List.of(
                "Domain status: clientUpdateProhibited, clientTransferProhibited\n",
                "status: client_update_prohibited, client_transfer_prohibited\n",
                "EPP Status: clientUpdateProhibited\nEPP Status: clientTransferProhibited\n",
                "Domain Status:\n     Update Prohibited by Registrar\n     Transfer Prohibited by Registrar\n",
                "Domain status : clientUpdateProhibited -\n                clientTransferProhibited -\n")) {
            RegistrationRecord registration = WhoisParser.read("Domain name: a.test\nRegistrar: R\n" + layout);

            assertThat(registration.statuses())
                    .as(layout)
                    .containsExactly("clientUpdateProhibited", "clientTransferProhibited");
            assertThat(registration.complete()).as(layout).contains(RegistrationRecord.Part.STATUSES);
        }
    }

    /** A value can only be missing at the registry if every line that can contain it was parsed. */
    @Example
    void reportsGaps() {
        String known = "Domain name: a.test\nRegistrar: R\nStatus: ok\nName server: ns1.test.org\n";
        assertThat(WhoisParser.read(known).complete()).hasSize(3);
        for (String line : List.of(
                "Next billing: 2033-01-01\n",
                "Name server: ns2\n",
                "Delegation: ns2.test.org\n",
                "ns2.test.org 192.0.2.1\n",
                "Expires: next spring\n",
                "RegistryLock: yes\n",
                "Transfers: prohibited\n",
                "x".repeat(2_000) + "\n")) {
            assertThat(WhoisParser.read(known + line).complete()).as(line).isEmpty();
        }
        assertThat(WhoisParser.read("domain: a.test\nrecord created: 2001-01-01\n")
                        .complete())
                .as("not every registry publishes nameservers")
                .doesNotContain(RegistrationRecord.Part.NAMESERVERS);
        assertThat(WhoisParser.read("domain: a.test\ncreated: 2001-01-01\nnserver: -\n")
                        .complete())
                .contains(RegistrationRecord.Part.NAMESERVERS);
    }

    @Example
    void rejectsDataOfAnotherDomain() {
        String text = "Domain Name: AA.TEST\nRegistrar: R\nCreated: 2001-01-01\n";

        assertThat(WhoisParser.read(text, "a.test")).isEqualTo(RegistrationRecord.UNKNOWN);
        assertThat(WhoisParser.read(text, "aa.test").registered()).isTrue();
        assertThat(WhoisParser.read(
                                "Domain: b\u00fccher.test\nDomain-Ace: xn--bcher-kva.test\nStatus: ok\n",
                                "xn--bcher-kva.test")
                        .registered())
                .isTrue();
        assertThat(WhoisParser.read("Domain: a\nStatus: ok\n", "a.test").registered())
                .isTrue();
    }

    @Example
    void endsAtTheNextDomain() {
        RegistrationRecord registration = WhoisParser.read(
                "Domain: a.test\nCreated: 2001-01-01\n\nDomain: aa.test\nExpires: 2033-01-01\nNameserver: ns1.test.org\n");

        assertThat(registration.expires()).isNull();
        assertThat(registration.nameservers()).isEmpty();
    }

    @Example
    void recognizesRateLimits() {
        for (String text : List.of(
                "% Error: 55000000002 Connection refused; access control limit exceeded.\n",
                "WHOIS LIMIT EXCEEDED - SEE WWW.PIR.ORG/WHOIS FOR DETAILS\n",
                "% Query rate limit exceeded. Reduced information.\n",
                "You have exceeded your quota; please try again later.\n",
                "Too many requests\n",
                "%% Terms of use\n".repeat(100)
                        + "%% Too many requests...\n%%\n%% No entries found in the Database.\n")) {
            assertThat(WhoisParser.isRateLimited(text)).as(text).isTrue();
            assertThat(WhoisParser.read(text)).as(text).isEqualTo(RegistrationRecord.UNKNOWN);
        }
        ALL.forEach(text -> assertThat(WhoisParser.isRateLimited(text)).as(text).isFalse());
    }

    @Property(tries = 1000)
    void acceptsArbitraryText(@ForAll @StringLength(max = 2_000) String text) {
        assertThat(WhoisParser.read(text)).isNotNull();
        WhoisParser.isRateLimited(text);
    }

    @Property(tries = 2000)
    void acceptsResponsesWithChangedCharacters(
            @ForAll @IntRange(max = 11) int response,
            @ForAll @Size(min = 1, max = 20) List<@IntRange(max = 1_000_000) Integer> changed) {
        StringBuilder text = new StringBuilder(ALL.get(response));
        for (int position : changed) {
            text.setCharAt(position % text.length(), (char) (position / text.length() % 256));
        }
        assertThat(WhoisParser.read(text.toString()).nameservers()).isNotNull();
    }

    @Example
    void limitsTheWorkForHostileResponses() {
        for (String hostile : List.of(
                "x".repeat(1_000_000),
                ":".repeat(1_000_000),
                ".".repeat(1_000_000),
                "[".repeat(1_000_000),
                " \n".repeat(500_000),
                "a:b\n".repeat(250_000),
                "a.".repeat(500_000),
                ("a.".repeat(99) + "!\n").repeat(1_100),
                ("Domain a\n" + "created on " + "1 ".repeat(400) + "\n").repeat(1_100),
                "name servers: ns1.test.org\n\n name servers:\n\n".repeat(2_000),
                "name server: ns1.test.org\n".repeat(40_000),
                ("-".repeat(900) + "is fre\n").repeat(1_100),
                ("created: " + "1-".repeat(400) + "\n").repeat(1_200))) {
            RegistrationRecord registration = WhoisParser.read(hostile);

            assertThat(registration.nameservers().size()).isLessThanOrEqualTo(100);
            WhoisParser.isRateLimited(hostile);
        }
    }
}
