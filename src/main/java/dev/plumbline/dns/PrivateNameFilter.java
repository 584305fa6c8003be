package dev.plumbline.dns;

import dev.plumbline.check.CheckFailure;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.target.IpAddressText;
import dev.plumbline.target.TargetPolicy;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.xbill.DNS.AAAARecord;
import org.xbill.DNS.ARecord;
import org.xbill.DNS.CAARecord;
import org.xbill.DNS.CNAMERecord;
import org.xbill.DNS.DNAMERecord;
import org.xbill.DNS.Name;
import org.xbill.DNS.PTRRecord;
import org.xbill.DNS.Record;
import org.xbill.DNS.SOARecord;
import org.xbill.DNS.SVCBBase;
import org.xbill.DNS.URIRecord;

/**
 * Detects responses with private addresses or names, which only an internal resolver knows. No message repeats them.
 */
public final class PrivateNameFilter {
    private static final Pattern HOST_OF_URI =
            Pattern.compile("[A-Za-z][A-Za-z0-9+.-]*:(?://)?(?:[^/?#@]*@)?([^/?#:;]+)");

    private PrivateNameFilter() {}

    /** Whether the response must not be disclosed. */
    public static boolean isPrivate(TargetPolicy policy, DnsResponse response) {
        return response.aliases().stream().anyMatch(alias -> policy.refusalOfName(DnsResolver.text(alias)) != null)
                || response.records().stream().anyMatch(record -> isPrivate(policy, record));
    }

    /** Whether one of the records must not be disclosed. */
    public static boolean isPrivate(TargetPolicy policy, List<Record> records) {
        return records.stream()
                .anyMatch(record -> isPrivate(policy, record)
                        || record instanceof CNAMERecord alias
                                && policy.refusalOfName(DnsResolver.text(alias.getTarget())) != null);
    }

    /** Whether a record contains a private address or name. */
    @SuppressWarnings("deprecation") // the accessor of URIRecord that also returns a malformed URI
    public static boolean isPrivate(TargetPolicy policy, Record record) {
        if (record instanceof ARecord || record instanceof AAAARecord) {
            return policy.refusalOf(IpAddressText.of(record.rdataToWireCanonical())) != null;
        }
        if (record instanceof CAARecord caa) {
            return caa.getTag().equalsIgnoreCase("iodef") && policy.isPrivateName(host(caa.getValue()));
        }
        if (record instanceof URIRecord uri) {
            return policy.isPrivateName(host(uri.getTarget()));
        }
        return names(record).stream().anyMatch(name -> policy.isPrivateName(DnsResolver.text(name)))
                || record instanceof SVCBBase service
                        && hints(service).stream().anyMatch(hint -> policy.refusalOf(hint) != null);
    }

    /** The failure of a lookup whose response is private. */
    public static CheckFailure failure(String name) {
        return new CheckFailure(
                ErrorCode.TARGET_BLOCKED,
                "%s resolves to a private address or to a name that is not allowed. Its records are not disclosed."
                        .formatted(name));
    }

    private static List<Name> names(Record record) {
        Name additional = record.getAdditionalName(); // of MX, NS, SRV and NAPTR records
        if (additional != null) {
            return List.of(additional);
        }
        if (record instanceof CNAMERecord cname) {
            return List.of(cname.getTarget());
        }
        if (record instanceof DNAMERecord dname) {
            return List.of(dname.getTarget());
        }
        if (record instanceof PTRRecord ptr) {
            return List.of(ptr.getTarget());
        }
        if (record instanceof SOARecord soa) {
            return List.of(soa.getHost(), soa.getAdmin());
        }
        if (record instanceof SVCBBase service) {
            return List.of(service.getTargetName());
        }
        return List.of();
    }

    /** The host of a URI; empty if it has none. */
    private static String host(String uri) {
        Matcher host = HOST_OF_URI.matcher(uri);
        String name = host.lookingAt() ? host.group(1).toLowerCase(Locale.ROOT) : "";
        return name.endsWith(".") ? name.substring(0, name.length() - 1) : name;
    }

    /** RFC 9460 section 7.3. */
    private static List<InetAddress> hints(SVCBBase service) {
        List<InetAddress> hints = new ArrayList<>();
        for (int key : List.of(SVCBBase.IPV4HINT, SVCBBase.IPV6HINT)) {
            SVCBBase.ParameterBase hint = service.getSvcParamValue(key);
            byte[] bytes = hint == null ? new byte[0] : hint.toWire();
            int length = key == SVCBBase.IPV4HINT ? 4 : 16;
            for (int offset = 0; offset + length <= bytes.length; offset += length) {
                hints.add(IpAddressText.of(Arrays.copyOfRange(bytes, offset, offset + length)));
            }
        }
        return hints;
    }
}
