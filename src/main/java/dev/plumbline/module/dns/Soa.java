package dev.plumbline.module.dns;

import static dev.plumbline.sheet.FindingCollector.reportIfAny;

import com.google.auto.service.AutoService;
import com.google.common.collect.Maps;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.CheckModule;
import dev.plumbline.check.RegisteredModule;
import dev.plumbline.dns.DnsResolver;
import dev.plumbline.module.dns.record.DnsRecordRow;
import dev.plumbline.module.dns.record.ZoneDelegation;
import dev.plumbline.probe.dns.DnsProbe;
import dev.plumbline.probe.dns.NameserverAddress;
import dev.plumbline.probe.dns.NameserverProbe;
import dev.plumbline.probe.dns.NameserverProbe.Query;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.sheet.FindingCollector;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.Host;
import dev.plumbline.target.Target;
import io.vertx.core.Future;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Name;
import org.xbill.DNS.Record;
import org.xbill.DNS.SOARecord;
import org.xbill.DNS.Type;

/** Evaluates the SOA record of a zone. */
@AutoService(RegisteredModule.class)
public final class Soa implements CheckModule<Soa.Evidence, Soa.Report, Soa.Findings> {
    /** The maximum number of nameservers whose SOA record is compared. */
    static final int MAX_SERVERS = 6;

    /** The limits of the intervals, in seconds. */
    private static final long MIN_REFRESH = 1_200;

    private static final long MAX_REFRESH = 86_400;
    private static final long MIN_RETRY = 180;
    private static final long MIN_EXPIRE = 7 * 86_400;
    private static final long MAX_EXPIRE = 42 * 86_400;
    private static final long MIN_MINIMUM = 60;
    private static final long MAX_MINIMUM = 86_400;

    public record Report(
            String primary,
            String contact,
            long serial,
            long refresh,
            long retry,
            long expire,
            long minimum,
            List<String> errors) {}

    public interface Findings extends FindingCollector {
        void notAZone(String name, String zone);

        void primaryNotListed(String primary, List<String> servers);

        void primaryInvalid(String primary);

        void contactInvalid(String contact);

        void serialZero();

        void serialInFuture(long serial, LocalDate date);

        void serialsDiffer(Set<Long> serials);

        void refreshLow(long refresh);

        void refreshHigh(long refresh);

        void retryLow(long retry);

        void retryNotBelowRefresh(long retry, long refresh);

        void expireLow(long expire);

        void expireHigh(long expire);

        void expireNotAboveRefresh(long expire, long refresh);

        void minimumLow(long minimum);

        void minimumHigh(long minimum);

        void serversNotCompared(List<String> servers);

        void nameserversUnknown(String zone);
    }

    /**
     * @param requested the name that was checked
     * @param soa of the zone that contains the name
     * @param servers the names in the NS records of the zone; null if the lookup failed
     * @param serials the serial numbers by nameserver; null if a server did not return the SOA record
     * @param today the date of the check in UTC
     */
    public record Evidence(
            Name requested,
            SOARecord soa,
            @Nullable List<Name> servers,
            Map<String, @Nullable Long> serials,
            LocalDate today) {}

    @Override
    public Future<Evidence> collect(Target target, CheckContext context) {
        Name name = DnsRecordRow.name(target.text());
        return context.probe(DnsProbe.class)
                .admitWithoutAddresses(context, target.text())
                .compose(admitted -> zone(context, name))
                .compose(soa -> compare(context, name, soa));
    }

    /** The SOA record of the zone that contains the name. */
    private static Future<SOARecord> zone(CheckContext context, Name name) {
        return context.probe(DnsProbe.class)
                .query(context, DnsResolver.text(name), Type.SOA)
                .compose(response ->
                        response.cnames().isEmpty() ? DnsProbe.requireName(response) : Future.succeededFuture(response))
                .compose(response -> {
                    if (response.cnames().isEmpty() && !response.records().isEmpty()) {
                        return Future.succeededFuture(
                                (SOARecord) response.records().get(0));
                    }
                    return name.labels() > 2
                            ? zone(context, new Name(name, 1))
                            : Future.failedFuture(new CheckFailure(
                                    ErrorCode.DNS_NO_DATA,
                                    "No SOA record for " + DnsRecordRow.text(name) + " or a domain above it."));
                });
    }

    /** Queries the nameservers of the zone for its SOA record. */
    private static Future<Evidence> compare(CheckContext context, Name requested, SOARecord soa) {
        LocalDate today = LocalDate.ofInstant(context.clock().instant(), ZoneOffset.UTC);
        return context.probe(DnsProbe.class)
                .lookup(context, DnsResolver.text(soa.getName()), "NS")
                .compose(lookup -> {
                    if (!lookup.succeeded()) {
                        return Future.succeededFuture(new Evidence(requested, soa, null, Map.of(), today));
                    }
                    List<Name> servers = ZoneDelegation.targets(lookup.records());
                    Map<String, Future<@Nullable Long>> serials = new LinkedHashMap<>();
                    for (Name server : servers) {
                        serials.put(
                                DnsRecordRow.text(server),
                                serials.size() < MAX_SERVERS
                                        ? serial(context.patiently(), soa.getName(), server)
                                        : Future.succeededFuture(null));
                    }
                    return Future.all(List.copyOf(serials.values()))
                            .map(all -> Maps.transformValues(serials, Future::result))
                            .map(byServer -> new Evidence(requested, soa, servers, byServer, today));
                });
    }

    /** The serial number that the first address of a nameserver returns; null if it returns none. */
    private static Future<@Nullable Long> serial(CheckContext context, Name zone, Name server) {
        NameserverProbe probe = context.probe(NameserverProbe.class);
        Host host = new Host(DnsResolver.text(server), null);
        return probe.addresses(context, host, 1)
                .compose(addresses -> probe.query(
                        context, new NameserverAddress(host, addresses.get(0)), Query.iterative(zone, Type.SOA)))
                .<@Nullable Long>map(response -> {
                    List<Record> records = response.answers(zone, Type.SOA);
                    return response.authoritative() && !records.isEmpty()
                            ? (Long) ((SOARecord) records.get(0)).getSerial()
                            : null;
                })
                .recover(CheckFailure.otherwise(error -> null));
    }

    @Override
    public Report evaluate(Evidence evidence, Options options, Findings findings) {
        SOARecord soa = evidence.soa();
        List<String> errors = new ArrayList<>();
        if (!evidence.requested().equals(soa.getName())) {
            findings.notAZone(DnsRecordRow.text(evidence.requested()), DnsRecordRow.text(soa.getName()));
        }
        evaluateNames(evidence, findings, errors);
        evaluateSerial(evidence, findings);
        evaluateTimers(soa, findings, errors);
        return new Report(
                DnsRecordRow.text(soa.getHost()),
                contact(soa.getAdmin()),
                soa.getSerial(),
                soa.getRefresh(),
                soa.getRetry(),
                soa.getExpire(),
                soa.getMinimum(),
                errors);
    }

    private static void evaluateNames(Evidence evidence, Findings findings, List<String> errors) {
        SOARecord soa = evidence.soa();
        String primary = DnsRecordRow.text(soa.getHost());
        if (!isHostname(soa.getHost())) {
            findings.primaryInvalid(primary);
            errors.add("MNAME " + primary + " is not a valid hostname.");
        } else if (evidence.servers() != null && !evidence.servers().contains(soa.getHost())) {
            findings.primaryNotListed(
                    primary, evidence.servers().stream().map(DnsRecordRow::text).toList());
        }
        if (!isMailbox(soa.getAdmin())) {
            String contact = DnsRecordRow.text(soa.getAdmin());
            findings.contactInvalid(contact);
            errors.add("RNAME " + contact + " is not a valid mailbox.");
        }
    }

    private static boolean isHostname(Name name) {
        return name.labels() >= 3
                && IntStream.range(0, name.labels() - 1)
                        .mapToObj(name::getLabelString)
                        .allMatch(label -> label.matches("[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?"));
    }

    /** Whether the name has the form of a mailbox (RFC 1035 section 8): a local part and a hostname, without an @. */
    private static boolean isMailbox(Name name) {
        return name.labels() >= 4
                && name.getLabelString(0).matches("([A-Za-z0-9!#$%&'*+/=?^_`{|}~-]|\\\\[^@])+")
                && isHostname(new Name(name, 1));
    }

    /** The e-mail address; the name itself if it does not have the form of a mailbox. */
    private static String contact(Name name) {
        return isMailbox(name)
                ? name.getLabelString(0).replace("\\", "") + "@" + DnsRecordRow.text(new Name(name, 1))
                : DnsRecordRow.text(name);
    }

    private static void evaluateSerial(Evidence evidence, Findings findings) {
        long serial = evidence.soa().getSerial();
        if (serial == 0) {
            findings.serialZero();
        }
        LocalDate date = date(serial);
        if (date != null && date.isAfter(evidence.today().plusDays(1))) {
            findings.serialInFuture(serial, date);
        }
        Set<Long> serials = new TreeSet<>();
        List<String> unknown = new ArrayList<>();
        evidence.serials().forEach((server, value) -> {
            if (value == null) {
                unknown.add(server);
            } else {
                serials.add(value);
            }
        });
        if (serials.size() > 1) {
            findings.serialsDiffer(serials);
        }
        reportIfAny(unknown, findings::serversNotCompared);
        if (evidence.servers() == null) {
            findings.nameserversUnknown(DnsRecordRow.text(evidence.soa().getName()));
        }
    }

    /**
     * Evaluates the intervals (RFC 1912 section 2.2, RFC 2308 section 5).
     *
     * @param errors receives a sentence for each contradiction
     */
    private static void evaluateTimers(SOARecord soa, Findings findings, List<String> errors) {
        long refresh = soa.getRefresh();
        long retry = soa.getRetry();
        long expire = soa.getExpire();
        if (refresh < MIN_REFRESH) {
            findings.refreshLow(refresh);
        } else if (refresh > MAX_REFRESH) {
            findings.refreshHigh(refresh);
        }
        if (retry >= refresh) {
            findings.retryNotBelowRefresh(retry, refresh);
            errors.add("RETRY (%d) is not less than REFRESH (%d).".formatted(retry, refresh));
        } else if (retry < MIN_RETRY) {
            findings.retryLow(retry);
        }
        if (expire <= refresh) {
            findings.expireNotAboveRefresh(expire, refresh);
            errors.add("EXPIRE (%d) is not greater than REFRESH (%d).".formatted(expire, refresh));
        } else if (expire < MIN_EXPIRE) {
            findings.expireLow(expire);
        } else if (expire > MAX_EXPIRE) {
            findings.expireHigh(expire);
        }
        if (soa.getMinimum() < MIN_MINIMUM) {
            findings.minimumLow(soa.getMinimum());
        } else if (soa.getMinimum() > MAX_MINIMUM) {
            findings.minimumHigh(soa.getMinimum());
        }
    }

    /** The date in a serial number of the form YYYYMMDDnn (RFC 1912 section 2.2); null if it has another form. */
    static @Nullable LocalDate date(long serial) {
        try {
            LocalDate date = LocalDate.parse(Long.toString(serial / 100), DateTimeFormatter.BASIC_ISO_DATE);
            return date.getYear() < 1990 || date.getYear() > 2100 ? null : date;
        } catch (DateTimeParseException otherForm) {
            return null;
        }
    }
}
