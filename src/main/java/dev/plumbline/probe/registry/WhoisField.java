package dev.plumbline.probe.registry;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The fields of WHOIS responses, by the keys that registries use for them. */
enum WhoisField {
    DOMAIN(
            "domain, domain name, domainname, complete domain name, ascii, query, dominio, nombre de dominio, "
                    + "nom de domaine",
            ""),
    REGISTRAR(
            "registrar, registrar name, sponsoring registrar, registrar organization, current registar, "
                    + "current registrar, registration service provider, authorized agency, registrado por",
            ""),
    IANA_ID("registrar iana id, sponsoring registrar iana id", ""),
    CREATED(
            "creation date, created date, create date, registered on, registered date, registration date, "
                    + "registration time, date registered, first registration date, date approved, activated on, "
                    + "domain created, domain created on, domain create date, domain creation date, "
                    + "domain registered, domain registration date, domain record activated, "
                    + "domain name commencement date, domain dateregistered, record created, record created on, "
                    + "entry created, fecha de creacion, fecha de registro, date de creation, "
                    + "registration period start",
            "created, created on, registered, registration, activated, acivated, assigned"),
    UPDATED(
            "updated date, update date, last updated date, modified date, modification date, "
                    + "domain updated, domain last updated, domain last updated date, domain record last updated, "
                    + "domain datelastmodified, record last updated, record last updated on, record changed on, "
                    + "record last modified, entry updated, ultima actualizacion",
            "updated, updated on, last updated, last updated on, last update, last modified, last changed, modified, "
                    + "changed, record modified"),
    EXPIRES(
            "registry expiry date, registrar registration expiration date, expiry date, expiration date, "
                    + "expiration time, expire date, expires, expires on, expires at, expire, expired, exp date, "
                    + "expiry, expiration, paid till, renewal date, renewal, date renewal, valid until, valid date, "
                    + "validity, domain expires, domain expires on, domain expiration date, domain currently expires, "
                    + "domain datebilleduntil, record expires, record expires on, record expired, "
                    + "record will expire on, ok until, fecha de vencimiento",
            ""),
    STATUS(
            "domain status, eppstatus, epp status, registration status, query status, domain prohibit status, "
                    + "estatus del dominio",
            "status, state, estado"),
    NAMESERVERS(
            "name server, name servers, nserver, nservers, nameserver, nameservers, current nameservers, "
                    + "domain nameservers, domain name servers, domain server, domain servers, dns server, "
                    + "dns servers, dns, servers, dns name, ns, ns name, ns hostname, primary ns, secondary ns, primary server, "
                    + "secondary server, primary name server, secondary name server, primary server hostname, "
                    + "secondary server hostname, third server hostname, fourth server hostname, "
                    + "fifth server hostname, name server information, "
                    + "name servers information, nameserver information, nameserver in listed order, "
                    + "name servers in listed order, name servers in the listed order, "
                    + "domain servers in listed order, domain name servers listed in order, "
                    + "domain nameservers in listed order, servidores de nombre, servidor de nombres de dominio, "
                    + "hostname, host name",
            ""),
    DNSSEC("dnssec, dnssec signed, domain signed", "signed"),
    DNSSEC_KEYS(
            "dnskey, ds record, ds rdata, dsrecord, ds, dnssec ds data, key tag, keytag, signing key, ds key tag, "
                    + "ds list",
            ""),
    ABUSE("registrar abuse contact email, abuse contact email, abuse email", ""),
    /** Attributes with dates or hostnames that this parser does not report. */
    OTHER(
            "whois server, registrar whois server, registrar whois, registrar url, referral url, referral, url, "
                    + "website, www, web, whois, last transferred date, last transferred, transferred, "
                    + "domain last transferred date, transfer date, renew date, connected date, query datetime, "
                    + "option created, option expiration date, domain datecancelled, requested on, processed from, "
                    + "available, outzone, delete, nsstat, nslastaa, saci, dslastok, dsstatus, "
                    + "database last updated, database last updated on, name server id, ip address, "
                    + "registry domain id, domain id, e mail, email, changed by, created by, updated by, "
                    + "notify, mail, mailbox, primary ip address, secondary ip address, ns netaddress, ns ip address, "
                    + "domain ace, ace, unicode domain, internationalized domain name, punycode, phone, phone number, "
                    + "telephone, tel, voice, mobile, fax, fax no, fax number, facsimile number, address, street, "
                    + "street address, postal code, postalcode, postcode, zipcode, zip code, id, handle, pid, "
                    + "ac phone number, "
                    + "url of the icann whois inaccuracy complaint form",
            ""),
    /** The start of the data of a person or company, which can have dates and statuses of its own. */
    CONTACT("", "");

    private static final Pattern CONTACT_WORD = Pattern.compile(
            "\\b(?:contacts?|contacto|registrants?|owner|holder|titular|admin|administrator|administrative|tech"
                    + "|technical|technicien|billing|person|role|nic hdl|nic hdl br|nic handle|organi[sz]ation"
                    + "|organizacion|reseller|agent|abuse|zone c|registered for|keyset|nsset|company|domicile)\\b");

    /** Text in parentheses, numbers, and characters between words. */
    private static final Pattern NOISE = Pattern.compile("(?:\\([^)]*\\)?|[\\d_.#*:\\s-])+");

    private static final int MAX_KEY = 60;
    private static final Map<String, WhoisField> BY_KEY = new HashMap<>();
    private static final Map<String, WhoisField> BY_WEAK_KEY = new HashMap<>();

    static {
        for (WhoisField field : values()) {
            for (String key : field.keys) {
                BY_KEY.put(key, field);
            }
            for (String key : field.weakKeys) {
                BY_WEAK_KEY.put(key, field);
            }
        }
    }

    private final String[] keys;
    private final String[] weakKeys;

    /**
     * @param keys keys that belong to the domain wherever they occur
     * @param weakKeys keys that contacts and other objects have too
     */
    WhoisField(String keys, String weakKeys) {
        this.keys = keys.isEmpty() ? new String[0] : keys.split(", ");
        this.weakKeys = weakKeys.isEmpty() ? new String[0] : weakKeys.split(", ");
    }

    /** The field of a normalized key; null if it is not known. */
    static @Nullable WhoisField of(String key) {
        WhoisField field = BY_KEY.get(key);
        field = field == null ? BY_WEAK_KEY.get(key) : field;
        return field == null && CONTACT_WORD.matcher(key).find() ? CONTACT : field;
    }

    static boolean isWeak(String key) {
        return BY_WEAK_KEY.containsKey(key);
    }

    /** The key in lower case, without numbers, parentheses and leaders; of two languages the second. */
    static String normalize(String key) {
        if (key.length() > MAX_KEY) {
            return "";
        }
        String plain = key.substring(key.lastIndexOf(" / ") + 1).toLowerCase(Locale.ROOT);
        plain = NOISE.matcher(plain).replaceAll(" ").replace('/', ' ').strip();
        return plain.length() > 2 && plain.charAt(1) == ' ' ? plain.substring(2) : plain;
    }
}
