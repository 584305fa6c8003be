package dev.plumbline.module.tls;

import dev.plumbline.check.FieldDescription;
import dev.plumbline.check.FieldType;
import dev.plumbline.check.FindingCode;
import dev.plumbline.check.InputType;
import dev.plumbline.check.Level;
import dev.plumbline.check.ModuleDescription;
import dev.plumbline.check.OptionDescription;

/** The words of {@link TlsProtocols}. */
final class TlsProtocolsDescription {
    static final String CIPHERS = "ciphers";

    static final FindingCode SSL3 = new FindingCode(
            "ssl3_enabled",
            Level.FAIL,
            "versions",
            "The server speaks SSL 3.0, in which what is encrypted can be read (POODLE).",
            "Turn SSLv3 off; nothing made since 2001 needs it.",
            "RFC 7568 section 3");
    static final FindingCode ONLY_LEGACY = new FindingCode(
            "only_legacy_versions",
            Level.FAIL,
            "versions",
            "The server speaks no version of TLS that today's browsers accept.",
            "Turn TLS 1.2 and 1.3 on; it may take newer software.",
            "RFC 9325 section 3.1.1");
    static final FindingCode TLS10 = new FindingCode(
            "tls10_enabled",
            Level.WARN,
            "versions",
            "The server speaks TLS 1.0, which was given up because its algorithms are outdated.",
            "Turn TLS 1.0 off, unless devices from before 2013 have to connect.",
            "RFC 8996 section 4");
    static final FindingCode TLS11 = new FindingCode(
            "tls11_enabled",
            Level.WARN,
            "versions",
            "The server speaks TLS 1.1, which was given up because its algorithms are outdated.",
            "Turn TLS 1.1 off; what speaks it speaks TLS 1.2 as well.",
            "RFC 8996 section 5");
    static final FindingCode NO_TLS13 = new FindingCode(
            "tls13_missing",
            Level.INFO,
            "tls13",
            "The server does not speak TLS 1.3, which is faster and leaves less to get wrong.",
            "Turn TLS 1.3 on; OpenSSL has it from 1.1.1 on.",
            "RFC 9325 section 3.1.1");
    static final FindingCode NO_ENCRYPTION = new FindingCode(
            "no_encryption",
            Level.FAIL,
            "weak_ciphers",
            "The server accepts cipher suites that do not encrypt at all (NULL).",
            "Take these suites out of the server's list.",
            "RFC 9325 section 4.1");
    static final FindingCode NO_AUTHENTICATION = new FindingCode(
            "no_authentication",
            Level.FAIL,
            "weak_ciphers",
            "The server accepts cipher suites without a certificate (anon), so anybody can pose as" + " it.",
            "Take these suites out of the server's list.",
            "RFC 5246 appendix A.5");
    static final FindingCode EXPORT = new FindingCode(
            "export_cipher",
            Level.FAIL,
            "weak_ciphers",
            "The server accepts cipher suites that were weakened for export, which are broken in"
                    + " hours (FREAK, Logjam).",
            "Take these suites out of the server's list.",
            "RFC 9325 section 4.1");
    static final FindingCode RC4 = new FindingCode(
            "rc4_cipher",
            Level.FAIL,
            "weak_ciphers",
            "The server accepts RC4, from which what is sent often can be recovered.",
            "Take these suites out of the server's list.",
            "RFC 7465 section 2");
    static final FindingCode SMALL_BLOCKS = new FindingCode(
            "small_block_cipher",
            Level.WARN,
            "weak_ciphers",
            "The server accepts old ciphers with blocks of 64 bits, as 3DES, which give away parts of"
                    + " long connections (SWEET32).",
            "Take these suites out of the server's list.",
            "RFC 9325 section 4.1");
    static final FindingCode BROKEN_PRIME = new FindingCode(
            "dh_prime_broken",
            Level.FAIL,
            "key_exchange_groups",
            "The server's Diffie-Hellman prime is so short that it can be broken (Logjam).",
            "Take the DHE suites out, or make a prime of 2048 bits or more.",
            "RFC 9325 section 4.1");
    static final FindingCode SHORT_PRIME = new FindingCode(
            "dh_prime_short",
            Level.WARN,
            "key_exchange_groups",
            "The server's Diffie-Hellman prime is shorter than 2048 bits.",
            "Take the DHE suites out, or make a prime of 2048 bits or more.",
            "RFC 9325 section 4.1");
    static final FindingCode WEAK_GROUP = new FindingCode(
            "weak_group",
            Level.WARN,
            "key_exchange_groups",
            "The server accepts elliptic curves that are too small.",
            "Allow only x25519, secp256r1 and larger groups.",
            "RFC 9325 section 4.2");
    static final FindingCode NO_FORWARD_SECRECY = new FindingCode(
            "no_forward_secrecy",
            Level.WARN,
            "forward_secrecy",
            "The server chooses cipher suites by which everything recorded can be read once its key" + " is stolen.",
            "Prefer suites whose names begin with TLS_ECDHE, and TLS 1.3.",
            "RFC 9325 section 4.1");
    static final FindingCode STATIC_KEY = new FindingCode(
            "static_key_exchange",
            Level.INFO,
            "ciphers",
            "The server accepts suites without forward secrecy from those who offer nothing better.",
            "Take the suites out whose names begin with TLS_RSA, TLS_DH_ and TLS_ECDH_.",
            "RFC 9325 section 4.1");
    static final FindingCode NO_AEAD = new FindingCode(
            "no_authenticated_encryption",
            Level.WARN,
            "ciphers",
            "The server chooses an old way of encrypting that has been attacked again and again" + " (CBC).",
            "Prefer suites with GCM or CHACHA20_POLY1305 in their names.",
            "RFC 9325 section 4.2");
    static final FindingCode CLIENT_CHOOSES = new FindingCode(
            "client_chooses_weak",
            Level.INFO,
            "server_prefers_order",
            "The server leaves the choice to the client, also where one of the choices is weak.",
            "Take the weak suites out, or let the server's order decide.",
            "RFC 9325 section 4.2.1");
    static final FindingCode NOT_ALL_ANSWERED = new FindingCode(
            "not_all_answered",
            Level.INFO,
            null,
            "Some of our questions got no answer, so there may be more than is shown.",
            "Allow more time with timeout_ms, or try again later; a server may also turn away who asks" + " much.",
            null);
    static final FindingCode NOT_ALL_ASKED = new FindingCode(
            "not_all_asked",
            Level.INFO,
            null,
            "The server accepts so much that not all could be asked for within the connections one"
                    + " check may open, so there may be more than is shown.",
            "Ask for every cipher if you have not: 100 connections may be opened for it instead of 25."
                    + " Best is to offer less.",
            null);

    static final ModuleDescription DESCRIPTION = ModuleDescription.of(
                    "tls-protocols", "TLS versions and ciphers", InputType.HOST_PORT)
            .summary("Shows which versions of TLS a server speaks, old ones too, which weak ways of encrypting it"
                    + " still accepts, and what to turn off.")
            .category("tls")
            .defaultPort(443)
            .example("example.com", "example.com or example.com:8443")
            .connects()
            .options(OptionDescription.bool(
                    CIPHERS,
                    "Every cipher",
                    "Ask for every cipher suite in every version, which takes up to 100 connections"
                            + " and some seconds; without, only weak ones are looked for, by 25"
                            + " connections at most.",
                    false))
            .fields(
                    FieldDescription.array(
                            "versions",
                            "Versions",
                            "The versions that the server speaks, of SSLv3, TLSv1, TLSv1.1, TLSv1.2 and" + " TLSv1.3.",
                            FieldType.STRING),
                    FieldDescription.bool(
                            "legacy_enabled",
                            "Old versions",
                            "Whether it speaks a version that must not be used any more (before TLS 1.2)."),
                    FieldDescription.bool("tls13", "TLS 1.3", "Whether it speaks the newest version."),
                    FieldDescription.array(
                            "alpn",
                            "Application protocols",
                            "What it agrees to speak inside, as h2 for HTTP/2 (ALPN).",
                            FieldType.STRING),
                    FieldDescription.table(
                            CIPHERS,
                            "Cipher suites",
                            "The sets of algorithms it accepts in each version, best first; only those that"
                                    + " came up where not every one was asked for.",
                            FieldDescription.string("version", "Version", "The version of TLS."),
                            FieldDescription.string("name", "Cipher suite", "The name that IANA gave the suite.")),
                    FieldDescription.array(
                            "weak_ciphers",
                            "Weak cipher suites",
                            "The suites it accepts that can be broken.",
                            FieldType.STRING),
                    FieldDescription.bool(
                            "forward_secrecy",
                            "Forward secrecy",
                            "Whether, in the newest version it speaks, it chooses keys that are made anew: what"
                                    + " was recorded stays secret even when the server's key is stolen later."),
                    FieldDescription.array(
                            "key_exchange_groups",
                            "Key exchange groups",
                            "The curves and other groups in which it agrees on keys; dhe-2048 is a prime of its"
                                    + " own of 2048 bits.",
                            FieldType.STRING),
                    FieldDescription.bool(
                                    "server_prefers_order",
                                    "Chooses by its own order",
                                    "Whether the server's order of suites decides, not the client's; null where"
                                            + " there is only one to choose.")
                            .orNull())
            .findings(
                    SSL3,
                    ONLY_LEGACY,
                    TLS10,
                    TLS11,
                    NO_TLS13,
                    NO_ENCRYPTION,
                    NO_AUTHENTICATION,
                    EXPORT,
                    RC4,
                    SMALL_BLOCKS,
                    BROKEN_PRIME,
                    SHORT_PRIME,
                    WEAK_GROUP,
                    NO_FORWARD_SECRECY,
                    STATIC_KEY,
                    NO_AEAD,
                    CLIENT_CHOOSES,
                    NOT_ALL_ANSWERED,
                    NOT_ALL_ASKED)
            .build();

    private TlsProtocolsDescription() {}
}
