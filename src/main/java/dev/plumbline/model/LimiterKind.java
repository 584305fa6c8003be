package dev.plumbline.model;

/** The kind of key that a rate limiter limits. The name is part of the messages between nodes. */
public enum LimiterKind {
    /** Connections to an address. */
    ADDRESS,
    /** Connections to the addresses of a /24 or /48 network. */
    NETWORK,
    /** Connections to the hosts of a registrable domain. */
    DOMAIN,
    /** Queries to an RDAP server. */
    RDAP_SERVER,
    /** Queries to a WHOIS server. */
    WHOIS_SERVER
}
