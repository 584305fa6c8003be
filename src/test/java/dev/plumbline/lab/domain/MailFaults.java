package dev.plumbline.lab.domain;

import static dev.plumbline.lab.domain.Subject.DKIM;
import static dev.plumbline.lab.domain.Subject.DMARC;
import static dev.plumbline.lab.domain.Subject.MAIL_CERTIFICATE;
import static dev.plumbline.lab.domain.Subject.MAIL_PORT;
import static dev.plumbline.lab.domain.Subject.MTA_STS;
import static dev.plumbline.lab.domain.Subject.MX;
import static dev.plumbline.lab.domain.Subject.REVERSE_DNS;
import static dev.plumbline.lab.domain.Subject.SPF;
import static dev.plumbline.lab.domain.Subject.STARTTLS;
import static dev.plumbline.lab.domain.Subject.TLSA;
import static dev.plumbline.lab.domain.Subject.TLS_RPT;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Faults of mail: records, mail server and policies. */
final class MailFaults {
    /** A key of 1024 bits. */
    private static final String SHORT_KEY =
            "MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQDigqcdz5Le8nMmw14wsy3LeLu1wn+bpP6z50qn8V64"
                    + "iL7WLLDXf5YU8J5uf0oegiYZ+s9/8l/wtB35tccphFA09vvA7NCU11bGQP/ks3fjvZGLLmiVeMjMrsnk"
                    + "TlmpbjafL721t10xR6CU7ofCl9RNX3slBNO/bB71LhHsWT8TgQIDAQAB";

    private final List<Fault> faults = new ArrayList<>();

    private MailFaults() {}

    static List<Fault> all() {
        MailFaults all = new MailFaults();
        all.addServer();
        all.addTls();
        all.addAuthentication();
        all.addPolicies();
        return List.copyOf(all.faults);
    }

    private void addServer() {
        zone("no MX record", MX, "implicit_mx", "mx", zone -> zone.remove("@", "MX"));
        zone("mail server without address", MX, "no_usable_mx", "mx", zone -> zone.removeAddresses("mail"));
        add("port 25 closed", MAIL_PORT, "port_refused", "smtp", mail -> mail.port(PortState.REFUSED));
        add("mail server without greeting", MAIL_PORT, "no_greeting", "smtp", mail -> mail.port(PortState.SILENT));
        add(
                "mail server rejects connections",
                MAIL_PORT,
                "connection_rejected",
                "smtp",
                mail -> mail.greeting("554 5.7.1 No SMTP service here"));
        add(
                "passwords before STARTTLS",
                MAIL_PORT,
                "plaintext_auth_before_tls",
                "smtp",
                mail -> mail.extension("AUTH PLAIN LOGIN"));
        add(
                "greeting without hostname",
                MAIL_PORT,
                "greeting_without_hostname",
                "smtp",
                mail -> mail.greeting("220 ESMTP ready"));
        zone("no PTR record", REVERSE_DNS, "no_ptr", "reverse-dns", zone -> zone.ptr(""));
        addFault("PTR record of another name", REVERSE_DNS, "not_confirmed", "reverse-dns", domain -> domain.zone()
                .ptr("www." + domain.domain() + "."));
    }

    private void addTls() {
        add("no STARTTLS", STARTTLS, "tls_required_by_mta_sts", Set.of("mx"), MailSpec::withoutStartTls);
        add(
                "certificate of the mail server expired",
                MAIL_CERTIFICATE,
                "expired",
                "starttls-certificate",
                mail -> mail.certificate(spec -> spec.from(ago(93)).until(ago(3))));
        add(
                "certificate of the mail server for another host",
                MAIL_CERTIFICATE,
                "hostname_mismatch",
                "starttls-certificate",
                mail -> mail.certificateHost("mail.other.test"));
        add(
                "self-signed certificate of the mail server",
                MAIL_CERTIFICATE,
                "self_signed",
                "starttls-certificate",
                MailSpec::selfSigned);
        add("TLSA record of another key", TLSA, "no_match", "dane-tlsa", MailSpec::tlsaOfOtherKey);
    }

    private void addAuthentication() {
        zone("no SPF record", SPF, "spf_missing", "spf", zone -> zone.remove("@", "TXT"));
        zone("two SPF records", SPF, "several_records", "spf", zone -> zone.record("@ TXT \"v=spf1 -all\""));
        zone("SPF allows everyone", SPF, "pass_all", "spf", zone -> zone.replace("@", "TXT", "\"v=spf1 mx +all\""));
        zone(
                "SPF with too many lookups",
                SPF,
                "too_many_lookups",
                "spf",
                zone -> zone.replace(
                        "@",
                        "TXT",
                        "\"v=spf1 "
                                + IntStream.range(0, 11)
                                        .mapToObj(i -> "exists:%{i}." + i + ".x.test ")
                                        .collect(Collectors.joining())
                                + "-all\""));
        zone("no DMARC record", DMARC, "dmarc_missing", "dmarc", zone -> zone.remove("_dmarc", "TXT"));
        addFault("DMARC policy none", DMARC, "policy_none", "dmarc", domain -> domain.zone()
                .replace("_dmarc", "TXT", "\"v=DMARC1; p=none; rua=mailto:dmarc@" + domain.domain() + "\""));
        zone(
                "DMARC without reports",
                DMARC,
                "no_reports",
                "dmarc",
                zone -> zone.replace("_dmarc", "TXT", "\"v=DMARC1; p=reject\""));
        zone("no DKIM key", DKIM, "no_selectors", "dkim", zone -> zone.remove("default._domainkey", "TXT"));
        zone(
                "short DKIM key",
                DKIM,
                "key_short",
                "dkim",
                zone -> zone.replace("default._domainkey", "TXT", "\"v=DKIM1; k=rsa; p=" + SHORT_KEY + "\""));
    }

    private void addPolicies() {
        zone("no TLS-RPT record", TLS_RPT, "tls_rpt_missing", "tls-rpt", zone -> zone.remove("_smtp._tls", "TXT"));
        zone("no MTA-STS record", MTA_STS, "policy_without_record", "mta-sts", zone -> zone.remove("_mta-sts", "TXT"));
        addFault("MTA-STS policy missing", MTA_STS, "policy_status_invalid", "mta-sts", domain -> domain.site()
                .policyStatus(404));
        addFault("MTA-STS policy of another mail server", MTA_STS, "mx_not_covered", "mta-sts", domain -> domain.site()
                .policy("mx: mail.", "mx: other."));
        addFault("MTA-STS policy in test mode", MTA_STS, "mode_testing", "mta-sts", domain -> domain.site()
                .policy("enforce", "testing"));
        addFault(
                "certificate of the MTA-STS host expired",
                MTA_STS,
                "policy_certificate_invalid",
                "mta-sts",
                domain -> domain.site()
                        .policyCertificate(spec -> spec.from(ago(93)).until(ago(3))));
        zone(
                "MTA-STS host without address",
                MTA_STS,
                "policy_host_missing",
                "mta-sts",
                zone -> zone.removeAddresses("mta-sts"));
    }

    private static Instant ago(int days) {
        return Instant.now().minus(days, ChronoUnit.DAYS);
    }

    private void add(String name, Subject subject, String code, String module, Consumer<MailSpec> change) {
        add(name, subject, code, Set.of(module), change);
    }

    private void add(String name, Subject subject, String code, Set<String> modules, Consumer<MailSpec> change) {
        faults.add(new Fault(name, domain -> change.accept(domain.mail()), code, modules, "mail", subject));
    }

    private void zone(String name, Subject subject, String code, String module, Consumer<ZoneSpec> change) {
        addFault(name, subject, code, module, domain -> change.accept(domain.zone()));
    }

    private void addFault(String name, Subject subject, String code, String module, Consumer<DomainSpec> change) {
        faults.add(new Fault(name, change, code, Set.of(module), "mail", subject));
    }
}
