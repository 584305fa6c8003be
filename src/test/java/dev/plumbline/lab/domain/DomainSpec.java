package dev.plumbline.lab.domain;

/** A domain of the lab: website, DNS, mail and registration. Initially, it has no faults. */
public final class DomainSpec {
    private final String domain;
    private final DomainAddresses addresses;
    private final ZoneSpec zone;
    private final SiteSpec site;
    private final MailSpec mail;
    private final RegistrationSpec registration;

    /**
     * @param domain below the top-level domain {@code test}
     * @param number from 1 to 600, unique among the domains that exist at the same time
     */
    public DomainSpec(String domain, int number) {
        this.domain = domain;
        this.addresses = new DomainAddresses(number);
        this.zone = new ZoneSpec(domain, addresses);
        this.site = new SiteSpec(domain);
        this.mail = new MailSpec(domain);
        this.registration = new RegistrationSpec(domain);
    }

    public String domain() {
        return domain;
    }

    public ZoneSpec zone() {
        return zone;
    }

    public SiteSpec site() {
        return site;
    }

    public MailSpec mail() {
        return mail;
    }

    public RegistrationSpec registration() {
        return registration;
    }

    /** The IPv4 address of the mail server. */
    public String mailAddress() {
        return addresses.v4(DomainAddresses.Host.MAIL);
    }

    DomainAddresses addresses() {
        return addresses;
    }
}
