package dev.plumbline.module.mail;

import com.google.common.base.Ascii;
import dev.plumbline.module.mail.record.RecordVersion;
import dev.plumbline.module.mail.record.TagList;
import dev.plumbline.target.TargetParser;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A parsed TLSRPT record (RFC 8460 section 3).
 *
 * @param addresses the report addresses, valid or not
 * @param usable the number of valid addresses
 * @param unknownTags the extensions, which senders ignore
 * @param errors each a sentence
 */
record TlsRptRecord(List<String> addresses, int usable, List<String> unknownTags, List<String> errors) {
    static final RecordVersion VERSION = RecordVersion.of("v=TLSRPTv1;.*", "\\W{0,8}(v\\s{0,8}=\\s{0,8})?tls-?rpt.*");

    /** RFC 3986; commas, exclamation marks and semicolons must be encoded (RFC 8460 section 3). */
    private static final Pattern URI_CHARACTERS = Pattern.compile("[A-Za-z0-9._~:/?#\\[\\]@$&'()*+=%-]+");

    private static final Pattern HTTPS_HOST = Pattern.compile("(?i)https://[^/?#]");

    static TlsRptRecord parse(String text) {
        TagList tags = TagList.parse(text);
        List<String> errors = new ArrayList<>(tags.errors());
        List<String> addresses = new ArrayList<>();
        int usable = 0;
        String rua = tags.get("rua");
        for (String part : rua == null ? new String[0] : rua.split(",", -1)) {
            String address = part.strip();
            String fault = fault(address);
            if (fault == null) {
                usable++;
            } else if (errors.size() < TagList.MAX_ERRORS) {
                errors.add("The value " + TagList.quote(address) + " in rua " + fault);
            }
            if (!address.isEmpty()) {
                addresses.add(address);
            }
        }
        return new TlsRptRecord(List.copyOf(addresses), usable, tags.except("v", "rua"), List.copyOf(errors));
    }

    /** Why an address is not valid, as the end of a sentence; null if it is valid. */
    private static @Nullable String fault(String address) {
        String lower = Ascii.toLowerCase(address.substring(0, Math.min(address.length(), 8)));
        if (lower.startsWith("mailto:") && isMailbox(address.substring(7)) && isUri(address)) {
            return null;
        }
        if (HTTPS_HOST.matcher(address).lookingAt()
                && isUri(address)
                && TargetParser.tryUrl(address, "https") != null) {
            return null;
        }
        if (lower.startsWith("http:")) {
            return "uses HTTP, but must use https:// or mailto:.";
        }
        if (address.indexOf('!') >= 0) {
            return "contains an exclamation mark. TLSRPT does not support size limits.";
        }
        return "is not a report address such as mailto:tlsrpt@example.com or https://example.com/tlsrpt.";
    }

    private static boolean isUri(String text) {
        return URI_CHARACTERS.matcher(text).matches();
    }

    private static boolean isMailbox(String text) {
        int query = text.indexOf('?');
        return TargetParser.tryEmail(query < 0 ? text : text.substring(0, query)) != null;
    }
}
