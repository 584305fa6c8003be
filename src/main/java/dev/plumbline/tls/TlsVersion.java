package dev.plumbline.tls;

/** A version of SSL or TLS, oldest first. */
public enum TlsVersion {
    SSL_3("SSLv3", 0x0300),
    TLS_1_0("TLSv1", 0x0301),
    TLS_1_1("TLSv1.1", 0x0302),
    TLS_1_2("TLSv1.2", 0x0303),
    TLS_1_3("TLSv1.3", 0x0304);

    private final String title;
    private final int code;

    TlsVersion(String title, int code) {
        this.title = title;
        this.code = code;
    }

    /** The OpenSSL name, for example {@code TLSv1.2}. */
    public String title() {
        return title;
    }

    public int code() {
        return code;
    }

    /** Whether the version is deprecated (RFC 7568, RFC 8996). */
    public boolean legacy() {
        return this != TLS_1_2 && this != TLS_1_3;
    }
}
