package dev.plumbline.lab;

/** RDAP objects of networks and AS numbers. */
public final class RdapNetworks {
    /** The example of RFC 9083 section 5.4, without notices and links. */
    public static final String RFC_NETWORK =
            """
        {"objectClassName":"ip network","handle":"XXXX-RIR","startAddress":"2001:db8::",
         "endAddress":"2001:db8:0:ffff:ffff:ffff:ffff:ffff","ipVersion":"v6","name":"NET-RTR-1",
         "type":"DIRECT ALLOCATION","country":"AU","parentHandle":"YYYY-RIR","status":["active"],
         "entities":[{"objectClassName":"entity","handle":"XXXX","vcardArray":["vcard",[
           ["version",{},"text","4.0"],["fn",{},"text","Joe User"],["kind",{},"text","individual"],
           ["lang",{"pref":"1"},"language-tag","fr"],["org",{"type":"work"},"text","Example"],
           ["title",{},"text","Research Scientist"],
           ["tel",{"type":["work","voice"],"pref":"1"},"uri","tel:+1-555-555-1234;ext=102"],
           ["email",{"type":"work"},"text","joe.user@example.com"]]],
           "roles":["registrant"]}]}
        """;

    /** The example of RFC 9083 section 5.5, without notices and links. */
    public static final String RFC_AUTNUM =
            """
        {"objectClassName":"autnum","handle":"XXXX-RIR","startAutnum":65536,"endAutnum":65541,"name":"AS-RTR-1",
         "type":"DIRECT ALLOCATION","status":["active"],"country":"AU"}
        """;

    private RdapNetworks() {}

    /** A network in the form of ARIN: the organization has the abuse contact, and the network its origin. */
    public static String arin(String first, String last, String name, String org, String abuse, String origins) {
        return """
            {"rdapConformance":["rdap_level_0","cidr0","arin_originas0"],"objectClassName":"ip network",
             "handle":"NET-8-8-8-0-2","startAddress":"%s","endAddress":"%s","ipVersion":"v4","name":"%s",
             "status":["active"],"port43":"whois.arin.net","arin_originas0_originautnums":[%s],
             "entities":[{"objectClassName":"entity","handle":"ORG","roles":["registrant"],
               "vcardArray":["vcard",[["version",{},"text","4.0"],["fn",{},"text","%s"],["kind",{},"text","org"]]],
               "entities":[{"objectClassName":"entity","handle":"ABUSE","roles":["abuse"],"vcardArray":["vcard",
                 [["version",{},"text","4.0"],["fn",{},"text","Abuse"],["kind",{},"text","group"],
                  ["email",{},"text","%s"]]]}]}]}
            """
                .formatted(first, last, name, origins, org, abuse);
    }

    /** A network in the form of RIPE: maintainers are registrants, too. */
    public static String ripe(String first, String last, String name, String country, String org, String abuse) {
        return """
            {"rdapConformance":["cidr0","rdap_level_0"],"objectClassName":"ip network","handle":"%1$s - %2$s",
             "startAddress":"%1$s","endAddress":"%2$s","name":"%3$s","type":"ASSIGNED PA","country":"%4$s",
             "status":["active"],"entities":[
              {"handle":"RIPE-NCC-MNT","roles":["registrant"],"objectClassName":"entity",
               "vcardArray":["vcard",[["version",{},"text","4.0"],["fn",{},"text","RIPE-NCC-MNT"],
                 ["kind",{},"text","individual"]]]},
              {"handle":"ORG-1","roles":["registrant"],"objectClassName":"entity",
               "vcardArray":["vcard",[["version",{},"text","4.0"],["fn",{},"text","%5$s"],["kind",{},"text","org"]]]},
              {"handle":"AR1","roles":["abuse"],"objectClassName":"entity",
               "vcardArray":["vcard",[["version",{},"text","4.0"],["fn",{},"text","Abuse"],["kind",{},"text","group"],
                 ["email",{"type":"abuse"},"text","%6$s"]]]}]}
            """
                .formatted(first, last, name, country, org, abuse);
    }

    /** A bootstrap registry (RFC 9224) with one server. */
    public static String bootstrap(String server, String... entries) {
        return "{\"version\":\"1.0\",\"services\":[[[\"%s\"],[\"%s\"]]]}"
                .formatted(String.join("\",\"", entries), server);
    }
}
