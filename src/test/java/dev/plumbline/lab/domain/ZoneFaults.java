package dev.plumbline.lab.domain;

import static dev.plumbline.lab.domain.Subject.CAA;
import static dev.plumbline.lab.domain.Subject.DNSSEC;
import static dev.plumbline.lab.domain.Subject.NAMESERVERS;
import static dev.plumbline.lab.domain.Subject.REGISTRATION;
import static dev.plumbline.lab.domain.Subject.RESOLUTION;

import dev.plumbline.lab.DnsFaults;
import dev.plumbline.lab.domain.ZoneSpec.Dnssec;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.xbill.DNS.Rcode;

/** Faults of the DNS and of the registration. */
final class ZoneFaults {
    private final List<Fault> faults = new ArrayList<>();

    private ZoneFaults() {}

    static List<Fault> all() {
        ZoneFaults all = new ZoneFaults();
        all.addDelegation();
        all.addNameservers();
        all.addDnssec();
        all.addCaa();
        all.addRegistration();
        return List.copyOf(all.faults);
    }

    private void addDelegation() {
        nameservers("nameserver removed from the zone", "missing_in_zone", zone -> zone.removeNameserver("ns2"));
        nameservers(
                "nameserver removed from the parent zone", "missing_in_parent", zone -> zone.removeDelegation("ns2"));
        nameservers("nameserver removed from both", "single_nameserver", zone -> zone.removeNameserver("ns2")
                .removeDelegation("ns2")
                .removeAddresses("ns2"));
        nameservers(
                "nameserver without address in the zone", "dangling_reference", zone -> zone.removeAddresses("ns2"));
        nameservers("outdated glue record", "glue_differs", zone -> zone.glue("ns2", "127.19.250.1"));
    }

    private void addNameservers() {
        nameservers("lame nameserver", "lame_delegation", zone -> zone.behave("ns2", DnsFaults.rcode(Rcode.REFUSED)));
        nameservers("silent nameserver", "unresponsive_servers", zone -> zone.behave("ns2", DnsFaults.silent()));
        add("all nameservers lame", RESOLUTION, "no_authoritative_server", "nameservers", "dns", zone -> zone.behave(
                        "ns1", DnsFaults.rcode(Rcode.REFUSED))
                .behave("ns2", DnsFaults.rcode(Rcode.REFUSED)));
        nameservers("open recursion", "open_recursion", zone -> zone.allowRecursion("ns2"));
        nameservers("open zone transfer", "zone_transfer_open", zone -> zone.allowTransfers("ns2"));
        nameservers("serial numbers differ", "serials_differ", zone -> zone.serial("ns2", 2026112400));
        nameservers("nameserver without TCP", "tcp_closed", zone -> zone.closeTcp("ns2"));
        add(
                "zone expires after a day",
                NAMESERVERS,
                "expire_low",
                "soa",
                "dns",
                zone -> zone.timers("14400 3600 86400 3600"));
    }

    private void addDnssec() {
        bogus("DNSSEC signatures expired", "signature_expired", Dnssec.EXPIRED);
        bogus("DNSSEC signatures invalid", "signature_invalid", Dnssec.INVALID);
        bogus("DS record of another key", "ds_mismatch", Dnssec.DS_MISMATCH);
        add("zone not signed", DNSSEC, "not_signed", "dnssec", "dns", zone -> zone.dnssec(Dnssec.NOT_SIGNED));
        add("DS record missing", DNSSEC, "ds_missing", "dnssec", "dns", zone -> zone.dnssec(Dnssec.DS_MISSING));
    }

    private void addCaa() {
        caa("CAA lookups fail", "caa_lookup_failed", zone -> zone.failLookup("@", "CAA"));
        caa("malformed CAA record", "malformed_issuer", zone -> zone.replace("@", "CAA", "0 issue \"%%%%\""));
        caa(
                "CAA record with an unknown critical tag",
                "unknown_critical_tag",
                zone -> zone.record("@ CAA 128 tbs \"unknown\""));
    }

    private void addRegistration() {
        registration(
                "registration expires in 10 days",
                "registration_expires_soon",
                registration -> registration.expires(Instant.now().plus(10, ChronoUnit.DAYS)));
        registration(
                "registration expired",
                "registration_expired",
                registration -> registration.expires(Instant.now().minus(2, ChronoUnit.DAYS)));
        registration("registration on hold", "on_hold", registration -> registration.status("client hold"));
        registration("deletion pending", "about_to_be_deleted", registration -> registration.status("pending delete"));
    }

    private void nameservers(String name, String code, Consumer<ZoneSpec> change) {
        add(name, NAMESERVERS, code, "nameservers", "dns", change);
    }

    private void bogus(String name, String code, Dnssec state) {
        add(name, RESOLUTION, code, "dnssec", "dns", zone -> zone.dnssec(state));
    }

    private void caa(String name, String code, Consumer<ZoneSpec> change) {
        add(name, CAA, code, "caa", "dns", change);
    }

    private void registration(String name, String code, Consumer<RegistrationSpec> change) {
        faults.add(new Fault(
                name,
                spec -> change.accept(spec.registration()),
                code,
                Set.of("domain-registration"),
                "registration",
                REGISTRATION));
    }

    private void add(String name, Subject subject, String code, String module, String area, Consumer<ZoneSpec> change) {
        faults.add(new Fault(name, spec -> change.accept(spec.zone()), code, Set.of(module), area, subject));
    }
}
