package dev.plumbline.lab;

/** Responses in the formats of large registries, about fictitious domains. */
public final class RegistryResponses {
    public static final String VERISIGN =
            """
         Domain Name: EXAMPLE.COM
         Registry Domain ID: 2336799_DOMAIN_COM-VRSN
         Registrar WHOIS Server: %s
         Registrar URL: http://www.registrar.test
         Updated Date: 2024-08-14T07:01:34Z
         Creation Date: 1995-08-14T04:00:00Z
         Registry Expiry Date: 2035-08-13T04:00:00Z
         Registrar: Registrar Test, Inc.
         Registrar IANA ID: 376
         Domain Status: clientDeleteProhibited https://icann.org/epp#clientDeleteProhibited
         Domain Status: clientTransferProhibited https://icann.org/epp#clientTransferProhibited
         Name Server: A.NS.TEST
         Name Server: B.NS.TEST
         DNSSEC: signedDelegation
         DNSSEC DS Data: 370 13 2 BE74359954660069D5C63D200C39F5603827D7DD02B56F120EE9F3A86764247C
         URL of the ICANN Whois Inaccuracy Complaint Form: https://www.icann.org/wicf/
      >>> Last update of whois database: 2025-01-01T00:00:00Z <<<

      NOTICE: The expiration date displayed in this record is the date the
      registrar's sponsorship of the domain name registration in the registry is
      currently set to expire. Registrar: not this one
      """;

    public static final String REGISTRAR =
            """
      Domain Name: example.com
      Registrar WHOIS Server: %s
      Registrar: Another Name, Inc.
      Registrar Abuse Contact Email: abuse@registrar.test
      Registrant Organization: REDACTED FOR PRIVACY
      """;

    public static final String ORG =
            """
      Domain Name: example.org
      Registry Domain ID: abc-LROR
      Updated Date: 2024-09-01T10:00:00.123Z
      Creation Date: 1995-08-31T04:00:00Z
      Registry Expiry Date: 2030-08-30T04:00:00Z
      Registrar: Registrar Test
      Registrar IANA ID: 376
      Registrar Abuse Contact Email: abuse@registrar.test
      Registrar Abuse Contact Phone: +1.5555555555
      Domain Status: serverTransferProhibited https://icann.org/epp#serverTransferProhibited
      Registrant Organization: Somebody
      Name Server: ns1.test.org
      Name Server: ns2.test.org
      DNSSEC: unsigned
      """;

    public static final String DE =
            """
      % Restricted rights.
      %
      Domain: example.de
      Nserver: ns1.example.de 192.0.2.1 2001:db8::1
      Nserver: ns2.test.net
      Dnskey: 257 3 8 AwEAAb
      Status: connect
      Changed: 2018-03-12T21:44:25+01:00

      [Tech-C]
      Type: PERSON
      Changed: 2023-01-01T00:00:00+01:00
      """;

    public static final String UK =
            """

          Domain name:
              example.co.uk

          Data validation:
              Nominet was able to match the registrant's name and address

          Registrar:
              Registrar Test Ltd [Tag = REGTEST]
              URL: https://registrar.test

          Relevant dates:
              Registered on: 26-Nov-1996
              Expiry date:  26-Nov-2030
              Last updated:  01-Oct-2024

          Registration status:
              Registered until expiry date.

          Name servers:
              ns1.example.co.uk         192.0.2.1 2001:db8::1
              ns2.test.net

          DNSSEC:
              Signed

          WHOIS lookup made at 10:00:00 01-Jan-2025

      --
      This WHOIS information is provided for free by Nominet UK
      """;

    public static final String FR =
            """
      %%
      %% This is the AFNIC Whois server.
      %%

      domain:                        example.fr
      status:                        ACTIVE
      eppstatus:                     serverTransferProhibited
      hold:                          NO
      holder-c:                      H1-FRNIC
      registrar:                     REGISTRAR TEST
      Expiry Date:                   2030-07-04T10:00:00Z
      created:                       2004-07-04T10:00:00Z
      last-update:                   2024-05-04T10:00:00.5Z
      source:                        FRNIC

      nserver:                       ns1.test.fr [192.0.2.1 2001:db8::1]
      nserver:                       ns2.test.fr
      source:                        FRNIC

      key1-tag:                      12345
      key1-algo:                     13 [ECDSAP256SHA256]

      registrar:                     REGISTRAR TEST
      address:                       1 rue du Test
      created:                       1998-01-01T00:00:00Z

      nic-hdl:                       H1-FRNIC
      type:                          ORGANIZATION
      changed:                       2025-01-01T00:00:00Z
      """;

    public static final String JP =
            """
      [ JPRS database provides information on network administration. Its use is    ]
      [ restricted to network administration purposes.                              ]
      Domain Information:
      [Domain Name]                   EXAMPLE.JP

      [Registrant]                    Example Inc.

      [Name Server]                   ns1.test.jp
      [Name Server]                   ns2.test.jp
      [Signing Key]

      [Created on]                    2001/08/22
      [Expires on]                    2030/08/31
      [Status]                        Active
      [Last Updated]                  2024/09/01 01:05:04 (JST)

      Contact Information:
      [Name]                          Somebody
      """;

    public static final String CO_JP =
            """
      Domain Information:
      a. [Domain Name]                EXAMPLE.CO.JP
      g. [Organization]               Example Inc.
      m. [Administrative Contact]     AB123JP
      p. [Name Server]                ns1.test.jp
      p. [Name Server]                ns2.test.jp
      s. [Signing Key]
      [State]                         Connected (2031/03/31)
      [Registered Date]               1997/03/04
      [Connected Date]                1997/03/05
      [Last Update]                   2024/04/01 01:00:11 (JST)
      """;

    public static final String BR =
            """
      % Copyright (c) Nic.br
      domain:      example.com.br
      owner:       Exemplo S.A. São Paulo
      country:     BR
      owner-c:     ABC1
      nserver:     ns1.test.com.br
      nsstat:      20250101 AA
      nslastaa:    20250101
      nserver:     ns2.test.com.br
      dsrecord:    12345 ECDSA-SHA-256 ABCDEF
      created:     19990518 #162310
      changed:     20240601
      expires:     20300518
      status:      published

      nic-hdl-br:  ABC1
      person:      Fulano
      created:     20010101
      changed:     20250101
      """;

    public static final String EU =
            """
      % The WHOIS service offered by EURid
      Domain: example.eu
      Script: LATIN

      Registrant:
              NOT DISCLOSED!
              Visit www.eurid.eu for the web-based WHOIS.

      Technical:
              Organisation: Somebody else
              Language: en
              Email: tech@test.eu

      Registrar:
              Name: Registrar Test BV
              Website: https://registrar.test

      Name servers:
              ns1.test.eu
              ns2.example.eu (192.0.2.1)
              ns2.example.eu (2001:db8::1)

      Keys:
              flags:KSK protocol:3 algorithm:ECDSA_P256_SHA256 pubKey:AbC=

      Please visit www.eurid.eu for more info.
      """;

    public static final String NL =
            """
      Domain name: example.nl
      Status:      active

      Registrar:
         Registrar Test B.V.
         Straat 1
         1000AA AMSTERDAM
         Netherlands

      Abuse Contact:
         +31.200000000
         abuse@registrar.test

      Creation Date: 1999-05-27

      Updated Date: 2024-03-01

      DNSSEC:      yes

      Domain nameservers:
         ns1.test.nl
         ns2.test.nl        192.0.2.1

      Record maintained by: SIDN BV
      """;

    public static final String IT =
            """
      Domain:             example.it
      Status:             ok
      Signed:             no
      Created:            1999-12-10 00:00:00
      Last Update:        2024-12-27 00:59:57
      Expire Date:        2030-12-11

      Registrant
        Organization:     Esempio SpA
        Created:          2007-03-01 10:54:02

      Registrar
        Organization:     Registrar Test srl
        Name:             REGTEST-REG

      Nameservers
        ns1.test.it
        ns2.test.it
      """;

    public static final String FI =
            """
      domain.............: example.fi
      status.............: Registered
      created............: 1.1.1991 00:00:00
      expires............: 31.8.2030 00:00:00
      available..........: 30.9.2030 00:00:00
      modified...........: 25.7.2024 09:10:11
      RegistryLock.......: no

      Nameservers

      nserver............: ns1.test.fi [OK]
      nserver............: ns2.test.fi [OK]

      DNSSEC

      dnssec.............: unsigned delegation

      Registrar

      registrar..........: Registrar Test Oy
      www................: registrar.test
      """;

    public static final String RDAP =
            """
      {"objectClassName":"domain","handle":"2336799_DOMAIN_COM-VRSN","ldhName":"EXAMPLE.COM",
       "status":["client delete prohibited","client transfer prohibited","active"],
       "entities":[{"objectClassName":"entity","handle":"376","roles":["registrar"],
         "publicIds":[{"type":"IANA Registrar ID","identifier":"376"}],
         "vcardArray":["vcard",[["version",{},"text","4.0"],["fn",{},"text","Registrar Test, Inc."]]],
         "entities":[{"objectClassName":"entity","roles":["abuse"],
           "vcardArray":["vcard",[["version",{},"text","4.0"],["fn",{},"text",""],
             ["tel",{"type":"voice"},"uri","tel:+1.5555555555"],
             ["email",{},"text","abuse@registrar.test"]]]}]}],
       "events":[{"eventAction":"registration","eventDate":"1995-08-14T04:00:00Z"},
         {"eventAction":"expiration","eventDate":"2035-08-13T04:00:00Z"},
         {"eventAction":"last changed","eventDate":"2024-08-14T07:01:34+00:00"},
         {"eventAction":"last update of RDAP database","eventDate":"2025-01-01T00:00:00Z"}],
       "secureDNS":{"delegationSigned":true,"dsData":[]},
       "nameservers":[{"objectClassName":"nameserver","ldhName":"A.NS.TEST."},
         {"objectClassName":"nameserver","ldhName":"B.NS.TEST"}],
       "rdapConformance":["rdap_level_0"]}
      """;

    private RegistryResponses() {}
}
