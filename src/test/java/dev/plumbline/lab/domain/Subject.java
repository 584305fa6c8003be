package dev.plumbline.lab.domain;

import java.util.EnumSet;
import java.util.Set;

/** The part of a domain that a fault changes. It determines which other faults can still be observed. */
public enum Subject {
    /** Whether resolvers return the records of the zone at all. */
    RESOLUTION,

    /** The addresses of the website. */
    SITE_ADDRESS,

    /** Whether the website accepts connections on port 443. */
    SITE_PORT,
    CERTIFICATE,

    /** The status of the first page, or its redirect. */
    RESPONSE,

    /** A header or the content of the first page. */
    PAGE,

    /** Another file of the website. */
    FILE,

    /** TLS and HTTP versions, compression and caching. */
    PROTOCOL,

    /** Port 80 and the redirect to HTTPS. */
    HTTP_PORT,
    IPV6,
    WWW,

    /** The delegation, the nameservers and the records about the zone itself. */
    NAMESERVERS,
    DNSSEC,
    CAA,

    /** The MX record and the addresses of the mail server. */
    MX,
    MAIL_PORT,
    STARTTLS,
    MAIL_CERTIFICATE,
    TLSA,
    REVERSE_DNS,
    SPF,
    DMARC,
    DKIM,
    TLS_RPT,
    MTA_STS,
    REGISTRATION;

    private static final Set<Subject> RESPONSES = EnumSet.of(RESPONSE, PAGE, FILE, PROTOCOL);

    /** Subjects of which one fault does not hide or change another. */
    private static final Set<Subject> INDEPENDENT = EnumSet.of(PAGE, FILE, PROTOCOL);

    /** The subjects whose faults cannot be observed beside a fault of this one. */
    private Set<Subject> hidden() {
        return switch (this) {
            case RESOLUTION -> EnumSet.complementOf(EnumSet.of(REGISTRATION));
            case SITE_ADDRESS, SITE_PORT -> {
                Set<Subject> all = EnumSet.copyOf(RESPONSES);
                all.addAll(EnumSet.of(SITE_ADDRESS, SITE_PORT, CERTIFICATE, HTTP_PORT, IPV6, WWW));
                yield all;
            }
            case CERTIFICATE -> EnumSet.of(HTTP_PORT, IPV6, WWW, FILE, PROTOCOL);
            case RESPONSE -> EnumSet.of(PAGE, PROTOCOL, HTTP_PORT, IPV6, WWW);
            case HTTP_PORT, WWW -> EnumSet.of(HTTP_PORT, WWW);
            case DNSSEC -> EnumSet.of(TLSA);
            case MX -> EnumSet.of(MAIL_PORT, STARTTLS, MAIL_CERTIFICATE, TLSA, REVERSE_DNS, SPF, MTA_STS);
            case MAIL_PORT, STARTTLS -> EnumSet.of(MAIL_PORT, STARTTLS, MAIL_CERTIFICATE, TLSA, MTA_STS);
            case MAIL_CERTIFICATE -> EnumSet.of(TLSA, MTA_STS);
            default -> EnumSet.noneOf(Subject.class);
        };
    }

    /** Whether faults of both subjects can be observed at the same time. */
    boolean isCompatible(Subject other) {
        return !hidden().contains(other)
                && !other.hidden().contains(this)
                && (this != other || INDEPENDENT.contains(this));
    }
}
