package dev.plumbline.module.dns.record;

import static java.util.stream.Collectors.joining;

import com.google.common.net.InetAddresses;
import com.google.common.primitives.Bytes;
import dev.plumbline.target.IpAddressText;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.xbill.DNS.AAAARecord;
import org.xbill.DNS.ARecord;
import org.xbill.DNS.CAARecord;
import org.xbill.DNS.CNAMERecord;
import org.xbill.DNS.MXRecord;
import org.xbill.DNS.NSRecord;
import org.xbill.DNS.Name;
import org.xbill.DNS.Record;
import org.xbill.DNS.SOARecord;
import org.xbill.DNS.SRVRecord;
import org.xbill.DNS.SVCBBase;
import org.xbill.DNS.TXTRecord;

/** DNS records as rows of a report: owner, TTL, presentation format and the parts of the data. */
public final class DnsRecordRow {
    private static final Comparator<Map<String, Object>> ORDER = Comparator.<Map<String, Object>>comparingInt(
                    row -> (int) row.getOrDefault("preference", row.getOrDefault("priority", 0)))
            .thenComparing(row -> row.getOrDefault("host", "").toString().toLowerCase(Locale.ROOT))
            .thenComparing(row -> row.getOrDefault("data", "").toString());

    private static final Pattern QUOTED_PARAMETER = Pattern.compile("(alpn|dohpath|key[0-9]+)=[^\"]+");

    private DnsRecordRow() {}

    /** Rows of one type, by preference or priority, host and data; a CNAME chain keeps its order. */
    public static List<Map<String, Object>> list(List<Record> records) {
        Stream<Map<String, Object>> rows = records.stream().map(DnsRecordRow::of);
        return (records.get(0) instanceof CNAMERecord ? rows : rows.sorted(ORDER)).toList();
    }

    private static Map<String, Object> of(Record record) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("name", text(record.getName()));
        row.put("ttl_seconds", record.getTTL());
        row.put("data", data(record));
        if (record instanceof MXRecord mx) {
            row.put("preference", mx.getPriority());
            row.put("host", text(mx.getTarget()));
        } else if (record instanceof SRVRecord srv) {
            row.put("priority", srv.getPriority());
            row.put("weight", srv.getWeight());
            row.put("port", srv.getPort());
            row.put("host", text(srv.getTarget()));
        } else if (record instanceof SOARecord soa) {
            row.put("primary", text(soa.getHost()));
            row.put("contact", text(soa.getAdmin()));
            row.put("serial", soa.getSerial());
            row.put("refresh_seconds", soa.getRefresh());
            row.put("retry_seconds", soa.getRetry());
            row.put("expire_seconds", soa.getExpire());
            row.put("minimum_seconds", soa.getMinimum());
        } else if (record instanceof CAARecord caa) {
            row.put("flags", caa.getFlags());
            row.put("tag", caa.getTag());
            row.put("value", caa.getValue());
        } else if (record instanceof TXTRecord txt) {
            // The strings of one record are concatenated without a separator (RFC 7208 section 3.3).
            byte[] text = Bytes.concat(txt.getStringsAsByteArrays().toArray(byte[][]::new));
            row.put("text", new String(text, StandardCharsets.UTF_8));
        } else if (record instanceof NSRecord ns) {
            row.put("host", text(ns.getTarget()));
        } else if (record instanceof CNAMERecord cname) {
            row.put("host", text(cname.getTarget()));
        }
        return row;
    }

    /** In presentation format, as dig prints it. */
    public static String data(Record record) {
        if (record instanceof ARecord || record instanceof AAAARecord) {
            return IpAddressText.format(IpAddressText.of(record.rdataToWireCanonical()));
        }
        if (record instanceof SVCBBase) {
            return Arrays.stream(record.rdataToString().split(" "))
                    .map(DnsRecordRow::parameter)
                    .collect(joining(" "));
        }
        return record instanceof TXTRecord txt
                ? txt.getStringsAsByteArrays().stream()
                        .map(DnsRecordRow::quoted)
                        .collect(joining(" "))
                : record.rdataToString();
    }

    /** A part of an SVCB or HTTPS record: text in quotes, IPv6 addresses in the form of RFC 5952. */
    private static String parameter(String text) {
        int equals = text.indexOf('=');
        String value = text.substring(equals + 1);
        if (text.startsWith("ipv6hint=")) {
            return Arrays.stream(value.split(","))
                    .map(address -> IpAddressText.format(InetAddresses.forString(address)))
                    .collect(joining(",", "ipv6hint=", ""));
        }
        return QUOTED_PARAMETER.matcher(text).matches() ? text.substring(0, equals + 1) + '"' + value + '"' : text;
    }

    /** RFC 1035 section 5.1. */
    private static String quoted(byte[] string) {
        return new String(string, StandardCharsets.ISO_8859_1)
                .chars()
                .mapToObj(c ->
                        c < 0x20 || c >= 0x7f ? "\\%03d".formatted(c) : (c == '"' || c == '\\' ? "\\" : "") + (char) c)
                .collect(joining("", "\"", "\""));
    }

    /** The name of a domain without the final dot, as {@link dev.plumbline.target.TargetParser} normalizes it. */
    public static Name name(String domain) {
        return Name.fromConstantString(domain + ".");
    }

    /** A name without the final dot; the root is a dot. */
    public static String text(Name name) {
        return name.toString(!name.equals(Name.root));
    }
}
