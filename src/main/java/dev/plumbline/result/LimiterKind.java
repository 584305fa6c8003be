package dev.plumbline.result;

/** The kind of key that a rate limiter limits. The name is part of the messages between nodes. */
public enum LimiterKind {
    /** Connections to an address. */
    ADDRESS("targets.per_ip", "connection", "connections"),
    /** Connections to the addresses of a /24 or /48 network. */
    NETWORK("targets.per_network", "connection", "connections"),
    /** Connections to the hosts of a registrable domain. */
    DOMAIN("targets.per_domain", "connection", "connections"),
    /** Queries to an RDAP server. */
    RDAP_SERVER("registries.per_server", "RDAP request", "RDAP requests"),
    /** Queries to a WHOIS server. */
    WHOIS_SERVER("registries.per_server", "WHOIS request", "WHOIS requests"),
    /** DNS queries for names below a registrable domain. Limited by each node, so not part of messages. */
    DNS_DOMAIN("targets.dns_per_domain", "DNS query", "DNS queries");

    private final String settings;
    private final String singular;
    private final String plural;

    LimiterKind(String settings, String singular, String plural) {
        this.settings = settings;
        this.singular = singular;
        this.plural = plural;
    }

    public String rateSetting() {
        return settings + "_per_second";
    }

    /** The setting of the maximum number of concurrent operations. */
    public String concurrencySetting() {
        return settings + "_concurrent";
    }

    /** A rate for people, for example {@code 20 connections per second}. */
    public String rate(int perSecond) {
        return perSecond + " " + unit(perSecond) + " per second";
    }

    /** A concurrency limit for people, for example {@code 8 concurrent connections}. */
    public String concurrency(int concurrent) {
        return concurrent + " concurrent " + unit(concurrent);
    }

    private String unit(int count) {
        return count == 1 ? singular : plural;
    }
}
