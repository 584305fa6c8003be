package dev.plumbline.module.web;

import java.util.List;
import java.util.regex.Pattern;

/** Whether a Permissions-Policy is a dictionary of allow-lists (RFC 9651 section 3.2). Pure. */
final class PermissionsPolicy {
    private static final String ORIGIN = "\"[^\"\\\\]{1,300}+\"";
    private static final Pattern MEMBER = Pattern.compile("[a-z*][a-z0-9_.*-]*+=(?:\\*|self|src|"
            + ORIGIN
            + "|\\( *+(?:(?:self|src|\\*|"
            + ORIGIN
            + ") *+)*+\\))(?:; *+[a-z][a-z0-9_.*-]*+(?:=[^;,]{0,300}+)?)*+");

    private PermissionsPolicy() {}

    /** One member that is none makes all of it none. */
    static boolean valid(String header) {
        List<String> members = HeaderParser.split(header, ',');
        return members.stream().allMatch(member -> MEMBER.matcher(member).matches());
    }
}
