package dev.plumbline.module.dns;

import dev.plumbline.check.IpAddressText;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
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
import org.xbill.DNS.TXTRecord;

/** A record as it is told: its owner, its time to live, its content and the parts of it. */
final class DnsRecordRow {
    /** As people read them: mail servers and services by preference, then by name. */
    static final Comparator<Record> ORDER =
            Comparator.comparingInt(DnsRecordRow::preference).thenComparing(DnsRecordRow::host);

    private DnsRecordRow() {}

    private static int preference(Record found) {
        if (found instanceof MXRecord mx) {
            return mx.getPriority();
        }
        return found instanceof SRVRecord srv ? srv.getPriority() : 0;
    }

    private static String host(Record found) {
        Name host = null;
        if (found instanceof MXRecord mx) {
            host = mx.getTarget();
        } else if (found instanceof SRVRecord srv) {
            host = srv.getTarget();
        } else if (found instanceof NSRecord ns) {
            host = ns.getTarget();
        }
        return host == null ? "" : plain(host).toLowerCase(Locale.ROOT);
    }

    /** The row, in the order in which it is shown. */
    static Map<String, Object> of(Record found) {
        Map<String, Object> row = new LinkedHashMap<>();
        row.put("name", plain(found.getName()));
        row.put("ttl_seconds", found.getTTL());
        row.put("data", data(found));
        if (found instanceof MXRecord mx) {
            row.put("preference", mx.getPriority());
            row.put("host", plain(mx.getTarget()));
        } else if (found instanceof SRVRecord srv) {
            row.put("priority", srv.getPriority());
            row.put("weight", srv.getWeight());
            row.put("port", srv.getPort());
            row.put("host", plain(srv.getTarget()));
        } else if (found instanceof SOARecord soa) {
            row.put("primary", plain(soa.getHost()));
            row.put("contact", plain(soa.getAdmin()));
            row.put("serial", soa.getSerial());
            row.put("refresh_seconds", soa.getRefresh());
            row.put("retry_seconds", soa.getRetry());
            row.put("expire_seconds", soa.getExpire());
            row.put("minimum_seconds", soa.getMinimum());
        } else if (found instanceof CAARecord caa) {
            row.put("flags", caa.getFlags());
            row.put("tag", caa.getTag());
            row.put("value", caa.getValue());
        } else if (found instanceof TXTRecord txt) {
            row.put("text", text(txt));
        } else if (found instanceof NSRecord ns) {
            row.put("host", plain(ns.getTarget()));
        } else if (found instanceof CNAMERecord cname) {
            row.put("host", plain(cname.getTarget()));
        }
        return row;
    }

    /** As in a zone file, and as dig prints it. */
    private static String data(Record found) {
        if (found instanceof ARecord || found instanceof AAAARecord) {
            return IpAddressText.format(IpAddressText.of(found.rdataToWireCanonical()));
        }
        if (found instanceof TXTRecord txt) {
            return txt.getStringsAsByteArrays().stream()
                    .map(DnsRecordRow::quoted)
                    .collect(Collectors.joining(" "));
        }
        return found.rdataToString();
    }

    /** RFC 1035 section 5.1. */
    private static String quoted(byte[] text) {
        StringBuilder quoted = new StringBuilder("\"");
        for (byte each : text) {
            if (each < 0x20 || each == 0x7f) {
                quoted.append("\\%03d".formatted(each & 0xff));
            } else {
                quoted.append(each == '"' || each == '\\' ? "\\" : "").append((char) each);
            }
        }
        return quoted.append('"').toString();
    }

    /** All strings of a TXT record in one: where it is cut means nothing (RFC 7208 section 3.3). */
    private static String text(TXTRecord txt) {
        StringBuilder text = new StringBuilder();
        for (byte[] part : txt.getStringsAsByteArrays()) {
            text.append(new String(part, StandardCharsets.ISO_8859_1));
        }
        return new String(text.toString().getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
    }

    private static String plain(Name name) {
        return name.toString(!name.equals(Name.root));
    }
}
