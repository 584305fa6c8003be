package dev.plumbline.probe.tls;

/** How much a TLS scan tests. All scopes test each TLS version. */
public enum TlsScanScope {
    /** Every cipher suite of each version, all groups and application protocols. */
    ALL_CIPHERS,

    /** As {@link #ALL_CIPHERS}, with the weak cipher suites only. */
    WEAK_CIPHERS,

    /**
     * Only what findings and norms depend on: one cipher suite of each kind and the weak groups, without application
     * protocols and fallback protection. For mail servers, which limit the connections of a client.
     */
    PROBLEMS
}
