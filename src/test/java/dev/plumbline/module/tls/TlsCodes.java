package dev.plumbline.module.tls;

/** The codes of versions and cipher suites in the messages of scripted servers. */
final class TlsCodes {
    static final int SSL3 = 0x0300;
    static final int TLS10 = 0x0301;
    static final int TLS12 = 0x0303;
    static final int RSA_AES_128 = 0x002f;
    static final int ECDHE_AES_128 = 0xc013;
    static final int ECDHE_GCM = 0xc02f;
    static final int DHE_AES_128 = 0x0033;

    private TlsCodes() {}
}
