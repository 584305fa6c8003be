package dev.plumbline.probe.tls;

/** How much a TLS scan tests. All scopes test each TLS version. */
public enum TlsScanScope {
    /** Every cipher suite of each version, all groups and application protocols. */
    ALL_CIPHERS,

    /** As {@link #ALL_CIPHERS}, with one cipher suite of each kind and all weak ones of the kinds found. */
    WEAK_CIPHERS,

    /**
     * Only what findings and policies depend on: one cipher suite of each kind and the weak groups, without application
     * protocols and fallback protection. For mail servers, which limit the connections of a client.
     */
    PROBLEMS
}
