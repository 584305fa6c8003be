package dev.plumbline.module.mail;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * The DKIM selectors that mail services and mail servers use by default. Amazon SES and similar services use random
 * selectors.
 */
final class DkimSelectors {
    /** The maximum number of selectors to test before those that CNAME records suggest. */
    static final int MAX = 50;

    /** Selectors of many domains, the most frequent first. */
    static final List<String> COMMON = List.of(
            "google",
            "selector1",
            "selector2",
            "default",
            "dkim",
            "mail",
            "k1",
            "k2",
            "k3",
            "s1",
            "s2",
            "fm1",
            "fm2",
            "fm3",
            "protonmail",
            "protonmail2",
            "protonmail3",
            "mandrill",
            "mailjet",
            "zoho",
            "zmail",
            "smtp",
            "email",
            "mx",
            "key1",
            "key2",
            "sig1",
            "dk",
            "pm",
            "dkim1",
            "dkim2",
            "cm",
            "ctct1",
            "ctct2",
            "kl",
            "kl2",
            "zendesk1",
            "zendesk2",
            "m1",
            "sm");

    /** @param suffixes of names in MX, SPF and CNAME records that show that a domain uses the service */
    private record Service(List<String> suffixes, List<String> selectors) {
        boolean usedBy(Collection<String> names) {
            return names.stream().anyMatch(name -> suffixes.stream()
                    .anyMatch(suffix -> name.equals(suffix) || name.endsWith("." + suffix)));
        }
    }

    private static final List<Service> SERVICES = List.of(
            service("google.com googlemail.com", "google 20230601"),
            service("outlook.com onmicrosoft.com mx.microsoft dkim.mail.microsoft", "selector1 selector2"),
            service("sendgrid.net", "s1 s2 smtpapi m1"),
            service("mcsv.net mandrillapp.com", "k1 k2 k3 mandrill mte1 mte2"),
            service("messagingengine.com fmhosted.com", "fm1 fm2 fm3 mesmtp"),
            service("protonmail.ch proton.ch", "protonmail protonmail2 protonmail3"),
            service("zoho.com zoho.eu zoho.in zohomail.com zohomail.eu", "zoho zmail zoho1"),
            service("mailgun.org", "k1 s1 mailo krs mg pic"),
            service("mailjet.com", "mailjet"),
            service("mailbox.org", "mbo0001 mbo0002 mbo0003 mbo0004"),
            service("gandi.net", "gm1 gm2 gm3"),
            service("migadu.com", "key1 key2 key3"),
            service("ionos.com ionos.de kundenserver.de perfora.net 1and1.com", "s1-ionos s2-ionos"),
            service("rzone.de strato.de", "strato-dkim-0002 strato-dkim-0003"),
            service("tutanota.de tutanota.com", "s1 s2"),
            service("icloud.com", "sig1"),
            service("yandex.net yandex.ru", "mail"),
            service("mail.ru", "mailru"),
            service("secureserver.net", "secureserver1 secureserver2"),
            service("privateemail.com", "default privateemail"),
            service("hostinger.com", "hostingermail1 hostingermail-a hostingermail-b hostingermail-c"),
            service("titan.email", "titan1 titan2"),
            service("zendesk.com", "zendesk1 zendesk2"),
            service("sendinblue.com brevo.com", "mail brevo1 brevo2 sib"),
            service("createsend.com", "cm"),
            service("constantcontact.com", "ctct1 ctct2"),
            service("mtasv.net", "pm"),
            service("freshdesk.com freshemail.io", "fd fd2 fddkim"),
            service("purelymail.com", "purelymail1 purelymail2 purelymail3"),
            service("mxroute.com mxlogin.com mxrouting.net", "x"),
            service("improvmx.com", "dkimprovmx1 dkimprovmx2"),
            service("mx.cloudflare.net", "cf2024-1"),
            service("mlsend.com", "ml litesrv"),
            service("klaviyomail.com", "kl kl2"));

    private static final Pattern SPACES = Pattern.compile("\\s++");

    private DkimSelectors() {}

    private static Service service(String suffixes, String selectors) {
        return new Service(List.of(suffixes.split(" ")), List.of(selectors.split(" ")));
    }

    /** The selectors of the services that the names belong to, without duplicates. */
    static Set<String> suggestedBy(Collection<String> names) {
        Set<String> selectors = new LinkedHashSet<>();
        SERVICES.stream()
                .filter(service -> service.usedBy(names))
                .map(Service::selectors)
                .forEach(selectors::addAll);
        return selectors;
    }

    /** The selectors that the names suggest, and then the common ones. */
    static List<String> candidates(Collection<String> names) {
        Set<String> selectors = suggestedBy(names);
        selectors.addAll(COMMON);
        return selectors.stream().limit(MAX).toList();
    }

    /** The domains that an SPF record refers to, in lower case. */
    static List<String> domainsOf(String spf) {
        return SPACES.splitAsStream(spf)
                .map(term -> term.substring(Math.max(term.indexOf(':'), term.indexOf('=')) + 1))
                .filter(domain -> domain.indexOf('.') > 0)
                .map(domain -> domain.toLowerCase(Locale.ROOT))
                .limit(MAX)
                .toList();
    }
}
