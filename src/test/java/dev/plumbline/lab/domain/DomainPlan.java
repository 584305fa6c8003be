package dev.plumbline.lab.domain;

/** A domain of the lab: website, DNS, mail and registration. Initially, it has no faults. */
public final class DomainPlan {
    private final String domain;
    private final DomainAddresses addresses;
    private final ZonePlan zone;
    private final SitePlan site;
    private final MailPlan mail;
    private final RegistrationPlan registration;

    /**
     * @param domain below the top-level domain {@code test}
     * @param number from 1 to 120, unique among the domains that exist at the same time
     */
    public DomainPlan(String domain, int number) {
        this.domain = domain;
        this.addresses = new DomainAddresses(number);
        this.zone = new ZonePlan(domain, addresses);
        this.site = new SitePlan(domain);
        this.mail = new MailPlan(domain);
        this.registration = new RegistrationPlan(domain);
    }

    public String domain() {
        return domain;
    }

    public ZonePlan zone() {
        return zone;
    }

    public SitePlan site() {
        return site;
    }

    public MailPlan mail() {
        return mail;
    }

    public RegistrationPlan registration() {
        return registration;
    }

    DomainAddresses addresses() {
        return addresses;
    }
}
