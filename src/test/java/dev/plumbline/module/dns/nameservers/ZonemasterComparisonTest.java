package dev.plumbline.module.dns.nameservers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.lab.NameserverFixture;
import dev.plumbline.module.dns.Soa;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.Finding;
import dev.plumbline.support.BindTopology;
import dev.plumbline.support.DebianTool;
import dev.plumbline.support.Dig;
import dev.plumbline.support.Zonemaster;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Compares the findings with those of Zonemaster, and values with dig, for the same zones on BIND servers. */
@Tag("integration")
class ZonemasterComparisonTest {
    private static final ModuleDefinition<NameserverEvidence> NAMESERVERS = SheetModule.load(new Nameservers());
    private static final String FIRST = "127.15.3.241";
    private static final String SECOND = "127.15.203.242";
    private static final String THIRD = "127.15.203.243";

    /** Tags of Zonemaster and the finding codes for the same problem. */
    private static final Map<String, String> NAMESERVER_TAGS = Map.ofEntries(
            Map.entry("MULTIPLE_SOA_SERIALS", "serials_differ"),
            Map.entry("MULTIPLE_NS_SET", "ns_records_differ"),
            Map.entry("IS_NOT_AUTHORITATIVE", "lame_delegation"),
            Map.entry("IS_A_RECURSOR", "open_recursion"),
            Map.entry("AXFR_AVAILABLE", "zone_transfer_open"),
            Map.entry("EXTRA_NAME_PARENT", "missing_in_zone"),
            Map.entry("EXTRA_NAME_CHILD", "missing_in_parent"),
            Map.entry("IN_BAILIWICK_ADDR_MISMATCH", "glue_differs"),
            Map.entry("NOT_ENOUGH_NS_DEL", "single_nameserver"),
            Map.entry("NS_IS_CNAME", "nameserver_is_alias"));

    private static final ModuleDefinition<Soa.Evidence> SOA = SheetModule.load(new Soa());

    /** As {@link #NAMESERVER_TAGS}, for the SOA record. */
    private static final Map<String, String> SOA_TAGS = Map.of(
            "MULTIPLE_SOA_SERIALS", "serials_differ",
            "RNAME_RFC822_INVALID", "contact_invalid",
            "RNAME_MISUSED_AT_SIGN", "contact_invalid",
            "REFRESH_MINIMUM_VALUE_LOWER", "refresh_low",
            "REFRESH_LOWER_THAN_RETRY", "retry_not_below_refresh",
            "EXPIRE_MINIMUM_VALUE_LOWER", "expire_low",
            "EXPIRE_LOWER_THAN_REFRESH", "expire_not_above_refresh",
            "SOA_DEFAULT_TTL_MAXIMUM_VALUE_HIGHER", "minimum_high",
            "SOA_DEFAULT_TTL_MAXIMUM_VALUE_LOWER", "minimum_low");

    private static final Map<String, String> SOA_RECORDS = Map.of(
            "soa1", "ns1 hostmaster 1 900 600 1209600 3600",
            "soa2", "ns1 hostmaster 1 14400 18000 1209600 3600",
            "soa3", "ns1 hostmaster 1 14400 3600 86400 3600",
            "soa4", "ns1 hostmaster 1 1209600 3600 604800 3600",
            "soa5", "ns1 hostmaster 1 14400 3600 1209600 172800",
            "soa6", "ns1 hostmaster 1 14400 3600 1209600 30",
            "soa7", "ns1 host\\@soa7.test 1 14400 3600 1209600 3600");

    private static BindTopology topology;
    private static NameserverFixture dns;

    @BeforeAll
    static void start(@TempDir Path folder) throws IOException {
        DebianTool.require("zonemaster-cli");
        String both = "@ IN NS ns1\n@ IN NS ns2\nns1 IN A " + FIRST + "\nns2 IN A " + SECOND + "\n";
        String extra = "@ IN NS ns1\n@ IN NS ns3\nns1 IN A " + FIRST + "\nns3 IN A " + THIRD + "\n";
        String alias = "@ IN NS ns1.good.test.\n@ IN NS alias.good.test.\n";
        String recursive = both.replace(SECOND, THIRD);
        String single = "@ IN NS ns1\nns1 IN A " + FIRST + "\n";
        Map<String, String> first = new HashMap<>();
        Map<String, String> second = new HashMap<>();
        Map<String, String> third = new HashMap<>();
        StringBuilder root = new StringBuilder("$ORIGIN test.\n");
        root.append("alias IN NS ns1.good\nalias IN NS alias.good\nsingle IN NS ns1.single\nns1.single IN A " + FIRST
                + "\n");
        for (String label : List.of("good", "serials", "lame", "sets", "extra")) {
            root.append(delegation(label, FIRST, SECOND));
        }
        root.append(delegation("glue", FIRST, THIRD)).append(delegation("recursive", FIRST, THIRD));
        for (Map<String, String> zones : List.of(first, second)) {
            zones.put("good.test", zone(7, both + "alias IN CNAME ns2\n"));
            zones.put("extra.test", zone(7, extra));
            zones.put("glue.test", zone(7, both));
            zones.put("alias.test", zone(7, alias));
        }
        first.put("serials.test", zone(7, both));
        second.put("serials.test", zone(8, both));
        first.put("lame.test", zone(7, both));
        first.put("sets.test", zone(7, both));
        second.put("sets.test", zone(7, both.replace("@ IN NS ns2\n", "")));
        first.put("single.test", zone(7, single));
        first.put("recursive.test", zone(7, recursive));
        third.put("recursive.test", zone(7, recursive));
        third.put("glue.test", zone(7, both));
        third.put("extra.test", zone(7, extra));
        SOA_RECORDS.forEach((label, soa) -> {
            root.append("%1$s IN NS ns1.%1$s\nns1.%1$s IN A %2$s\n".formatted(label, FIRST));
            first.put(label + ".test", "$TTL 3600\n@ IN SOA " + soa + "\n" + single);
        });
        topology = BindTopology.start(folder, root.toString());
        topology.nameserver(FIRST, "recursion no; allow-transfer { none; };", first);
        topology.nameserver(SECOND, "recursion no; allow-transfer { none; };", second);
        topology.nameserver(
                THIRD,
                "recursion yes; allow-recursion { any; }; allow-query-cache { any; }; allow-transfer { any; };",
                third);
        dns = new NameserverFixture();
    }

    private static String delegation(String label, String first, String second) {
        return "%1$s IN NS ns1.%1$s\n%1$s IN NS ns2.%1$s\nns1.%1$s IN A %2$s\nns2.%1$s IN A %3$s\n"
                .formatted(label, first, second);
    }

    private static String zone(int serial, String records) {
        return "$TTL 3600\n@ IN SOA ns1 hostmaster " + serial + " 14400 3600 1209600 3600\n" + records;
    }

    @AfterAll
    static void stop() throws IOException {
        if (dns != null) {
            dns.close();
        }
        if (topology != null) {
            topology.close();
        }
    }

    @ParameterizedTest
    @CsvSource({"good", "serials", "lame", "sets", "extra", "glue", "alias", "recursive", "single"})
    void agreesWithZonemaster(String label) throws Exception {
        String zone = label + ".test";
        CheckResult result = dns.check(NAMESERVERS, BindTopology.RESOLVER + ":53", zone, Map.of());

        assertAgrees(
                result,
                NAMESERVER_TAGS,
                Zonemaster.tags(topology.hints(), zone, "Consistency", "Delegation", "Nameserver"));
        assertThat(result.error()).isNull();
        assertAgreesWithDig(result, zone);
    }

    @ParameterizedTest
    @CsvSource({"good", "serials", "soa1", "soa2", "soa3", "soa4", "soa5", "soa6", "soa7"})
    void agreesWithZonemasterOnSoaRecords(String label) throws Exception {
        String zone = label + ".test";
        CheckResult result = dns.check(SOA, BindTopology.RESOLVER + ":53", zone, Map.of());

        assertAgrees(result, SOA_TAGS, Zonemaster.tags(topology.hints(), zone, "Consistency", "Syntax", "Zone"));
        String[] data = String.join("", Dig.queryAt(BindTopology.RESOLVER, "+short", zone, "SOA"))
                .split(" ");
        assertThat(result.fields().get("primary") + ".").isEqualTo(data[0]);
        assertThat(List.of("serial", "refresh", "retry", "expire", "minimum").stream()
                        .map(field -> result.fields().get(field).toString()))
                .containsExactly(data[2], data[3], data[4], data[5], data[6]);
    }

    private static void assertAgrees(CheckResult result, Map<String, String> codesByTag, Set<String> tags) {
        Set<String> expected = new TreeSet<>();
        tags.stream().filter(codesByTag::containsKey).forEach(tag -> expected.add(codesByTag.get(tag)));
        Set<String> actual =
                new TreeSet<>(result.findings().stream().map(Finding::code).toList());
        actual.retainAll(new HashSet<>(codesByTag.values()));
        assertThat(actual).as("%s; tags of Zonemaster: %s", result, tags).isEqualTo(expected);
    }

    @SuppressWarnings("unchecked")
    private static void assertAgreesWithDig(CheckResult result, String zone) throws Exception {
        List<String> transfers = (List<String>) result.fields().get("zone_transfer_open");
        for (Map<String, Object> row :
                (List<Map<String, Object>>) result.fields().get("servers")) {
            String address = ((List<String>) row.get("ips")).get(0);
            String soa = String.join("\n", Dig.queryAt(address, "+norecurse", zone, "SOA"));
            assertThat(soa.contains("flags: qr aa")).as(soa).isEqualTo(row.get("authoritative"));
            String[] data = String.join("", Dig.queryAt(address, "+norecurse", "+short", zone, "SOA"))
                    .split(" ");
            assertThat(data.length > 2 ? data[2] : null)
                    .isEqualTo(
                            row.get("serial") == null ? null : row.get("serial").toString());
            String outside = String.join("\n", Dig.queryAt(address, "+recurse", "a.root-servers.net", "A"));
            assertThat(outside.contains("ANSWER: 1")).as(outside).isEqualTo(row.get("recursion"));
            String transfer = String.join("\n", Dig.queryAt(address, "+onesoa", zone, "AXFR"));
            assertThat(!transfer.contains("Transfer failed")).as(transfer).isEqualTo(transfers.contains((String)
                    row.get("name")));
        }
    }
}
