package dev.plumbline.probe.registry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.lab.RegistryResponses;
import java.time.Instant;
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
                        null));
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
                        null));
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
        assertThat(registration.statuses()).containsExactly("ok", "serverTransferProhibited");
        assertThat(registration.nameservers()).containsExactly("ns1.test.fr", "ns2.test.fr");
        assertThat(registration.dnssecSigned()).isTrue();
    }

    @Example
    void readsJp() {
        RegistrationRecord registration = WhoisParser.read(RegistryResponses.JP);

        assertThat(registration.created()).isEqualTo("2001-08-22T00:00:00Z");
        assertThat(registration.expires()).isEqualTo("2030-08-31T00:00:00Z");
        assertThat(registration.updated()).isEqualTo("2024-08-31T16:05:04Z");
        assertThat(registration.statuses()).containsExactly("ok");
        assertThat(registration.nameservers()).containsExactly("ns1.test.jp", "ns2.test.jp");
        assertThat(registration.dnssecSigned()).isNull();

        RegistrationRecord company = WhoisParser.read(RegistryResponses.CO_JP);
        assertThat(company.created()).isEqualTo("1997-03-04T00:00:00Z");
        assertThat(company.statuses()).containsExactly("Connected");
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
    void recognizesRateLimits() {
        for (String text : List.of(
                "% Error: 55000000002 Connection refused; access control limit exceeded.\n",
                "WHOIS LIMIT EXCEEDED - SEE WWW.PIR.ORG/WHOIS FOR DETAILS\n",
                "% Query rate limit exceeded. Reduced information.\n",
                "You have exceeded your quota; please try again later.\n",
                "Too many requests\n")) {
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
                "name server: ns1.test.org\n".repeat(40_000),
                ("-".repeat(900) + "is fre\n").repeat(1_100),
                ("created: " + "1-".repeat(400) + "\n").repeat(1_200))) {
            RegistrationRecord registration = WhoisParser.read(hostile);

            assertThat(registration.nameservers().size()).isLessThanOrEqualTo(100);
            WhoisParser.isRateLimited(hostile);
        }
    }
}
