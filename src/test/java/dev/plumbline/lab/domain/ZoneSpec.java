package dev.plumbline.lab.domain;

import dev.plumbline.lab.DnsFaults;
import dev.plumbline.lab.DnsLab;
import dev.plumbline.lab.domain.DomainAddresses.Host;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The records, nameservers, delegation and DNSSEC of a domain of the lab. Each method changes this object. */
public final class ZoneSpec {
    /** The state of DNSSEC of the zone. */
    public enum Dnssec {
        VALID(false),
        NOT_SIGNED(false),
        DS_MISSING(false),
        DS_MISMATCH(true),
        EXPIRED(true),
        INVALID(true);

        /** Whether validating resolvers return SERVFAIL. */
        final boolean bogus;

        Dnssec(boolean bogus) {
            this.bogus = bogus;
        }
    }

    private final DomainAddresses addresses;
    private final List<String> records = new ArrayList<>();
    private final List<String> nameservers = new ArrayList<>(List.of("ns1", "ns2"));
    private final List<String> delegation = new ArrayList<>(nameservers);
    private final Map<String, String> glue = new LinkedHashMap<>();
    private final Map<String, DnsLab.Behavior> behaviors = new HashMap<>();
    private final Map<String, Integer> serials = new HashMap<>();
    private final Set<String> transferable = new HashSet<>();
    private final Set<String> recursive = new HashSet<>();
    private final Set<String> udpOnly = new HashSet<>();
    private final Set<String> failingLookups = new HashSet<>();
    private String timers = "14400 3600 1209600 3600";
    private Dnssec dnssec = Dnssec.VALID;
    private String ptr;

    ZoneSpec(String domain, DomainAddresses addresses) {
        this.addresses = addresses;
        this.ptr = "mail." + domain + ".";
        record("@ NS ns1").record("@ NS ns2");
        addresses("@", Host.SITE).addresses("www", Host.SITE).addresses("mta-sts", Host.MTA_STS);
        addresses("mail", Host.MAIL).addresses("ns1", Host.NS1).addresses("ns2", Host.NS2);
        record("@ CAA 0 issue \"ca.test\"");
        record("@ MX 10 mail");
        record("@ TXT \"v=spf1 mx -all\"");
        record("default._domainkey TXT \"v=DKIM1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\"");
        record("_dmarc TXT \"v=DMARC1; p=reject; rua=mailto:dmarc@" + domain + "\"");
        record("_mta-sts TXT \"v=STSv1; id=1\"");
        record("_smtp._tls TXT \"v=TLSRPTv1; rua=mailto:tls@" + domain + "\"");
    }

    /** Adds a record, for example {@code www A 192.0.2.1}. Names are relative to the domain. */
    public ZoneSpec record(String line) {
        records.add(line);
        return this;
    }

    /** The addresses of a name, for example {@code mail}. */
    public List<String> addressesOf(String owner) {
        return records.stream()
                .filter(line -> line.startsWith(owner + " A ") || line.startsWith(owner + " AAAA "))
                .map(line -> line.substring(line.lastIndexOf(' ') + 1))
                .toList();
    }

    /** Removes the records of a type from a name. */
    public ZoneSpec remove(String owner, String type) {
        if (!records.removeIf(line -> line.startsWith(owner + " " + type + " "))) {
            throw new IllegalArgumentException(owner + " does not have " + type + " records");
        }
        return this;
    }

    /** Replaces the records of a type. */
    public ZoneSpec replace(String owner, String type, String data) {
        return remove(owner, type).record(owner + " " + type + " " + data);
    }

    /** Removes the A and AAAA records of a name. */
    public ZoneSpec removeAddresses(String owner) {
        return remove(owner, "A").remove(owner, "AAAA");
    }

    ZoneSpec addresses(String owner, Host host) {
        return record(owner + " A " + addresses.v4(host)).record(owner + " AAAA " + addresses.v6(host));
    }

    /** Changes the addresses of a name to those of a host without servers. */
    public ZoneSpec moveToUnusedAddress(String owner) {
        return removeAddresses(owner).addresses(owner, Host.UNUSED);
    }

    /** Adds the nameserver {@code ns3} to the zone and to the parent zone. */
    public ZoneSpec addNameserver() {
        nameservers.add("ns3");
        delegation.add("ns3");
        return record("@ NS ns3").addresses("ns3", Host.NS3);
    }

    /** Removes a nameserver from the zone, but not from the parent zone. */
    public ZoneSpec removeNameserver(String nameserver) {
        return removeRecord("@ NS " + nameserver);
    }

    private ZoneSpec removeRecord(String line) {
        if (!records.remove(line)) {
            throw new IllegalArgumentException(line);
        }
        return this;
    }

    /** Removes a nameserver from the parent zone, but not from the zone. */
    public ZoneSpec removeDelegation(String nameserver) {
        delegation.remove(nameserver);
        return this;
    }

    /** Changes the glue record of a nameserver. */
    public ZoneSpec glue(String nameserver, String address) {
        glue.put(nameserver, address);
        return this;
    }

    /** Changes the responses of a nameserver to those of {@link DnsFaults}. */
    public ZoneSpec behave(String nameserver, DnsLab.Behavior behavior) {
        behaviors.put(nameserver, behavior);
        return this;
    }

    /** Allows zone transfers from a nameserver. */
    public ZoneSpec allowTransfers(String nameserver) {
        transferable.add(nameserver);
        return this;
    }

    /** Allows recursive queries to a nameserver. */
    public ZoneSpec allowRecursion(String nameserver) {
        recursive.add(nameserver);
        return this;
    }

    /** Closes the TCP port of a nameserver. */
    public ZoneSpec closeTcp(String nameserver) {
        udpOnly.add(nameserver);
        return this;
    }

    public ZoneSpec serial(String nameserver, int serial) {
        serials.put(nameserver, serial);
        return this;
    }

    /** @param values refresh, retry, expire and minimum of the SOA record, in seconds */
    public ZoneSpec timers(String values) {
        timers = values;
        return this;
    }

    public ZoneSpec dnssec(Dnssec state) {
        dnssec = state;
        return this;
    }

    /** Lookups of these records end with SERVFAIL. */
    public ZoneSpec failLookup(String owner, String type) {
        failingLookups.add(owner + " " + type);
        return this;
    }

    /** @param name with the final dot; empty: no PTR record of the mail server */
    public ZoneSpec ptr(String name) {
        ptr = name;
        return this;
    }

    List<String> records() {
        return List.copyOf(records);
    }

    /** The hosts that run a nameserver. */
    List<String> nameservers() {
        return List.copyOf(nameservers);
    }

    List<String> delegation() {
        return List.copyOf(delegation);
    }

    /** The IPv4 glue record of a nameserver. */
    String glue(String nameserver) {
        return glue.getOrDefault(nameserver, addresses.v4(host(nameserver)));
    }

    static Host host(String nameserver) {
        return Host.valueOf(nameserver.toUpperCase(java.util.Locale.ROOT));
    }

    DnsLab.@org.jspecify.annotations.Nullable Behavior behavior(String nameserver) {
        return behaviors.get(nameserver);
    }

    int serial(String nameserver) {
        return serials.getOrDefault(nameserver, 2026112501);
    }

    boolean allowsTransfers(String nameserver) {
        return transferable.contains(nameserver);
    }

    boolean allowsRecursion(String nameserver) {
        return recursive.contains(nameserver);
    }

    boolean isUdpOnly(String nameserver) {
        return udpOnly.contains(nameserver);
    }

    /** Whether no delegated nameserver responds with records. */
    boolean unresolvable() {
        return behaviors.keySet().containsAll(delegation);
    }

    boolean lookupFails(String owner, String type) {
        return failingLookups.contains(owner + " " + type);
    }

    String timers() {
        return timers;
    }

    Dnssec dnssec() {
        return dnssec;
    }

    String ptr() {
        return ptr;
    }
}
