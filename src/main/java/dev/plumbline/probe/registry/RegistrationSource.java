package dev.plumbline.probe.registry;

/** The protocol that returned the registration of a domain. */
public enum RegistrationSource {
    RDAP,
    WHOIS,
    NONE
}
