package dev.plumbline.module.mail.bimi;

import dev.plumbline.module.mail.record.RecordVersion;
import dev.plumbline.module.mail.record.TagList;
import dev.plumbline.target.Target;
import dev.plumbline.target.TargetParser;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A parsed BIMI assertion record (draft-brand-indicators-for-message-identification, Assertion Record Definition).
 *
 * @param logo the valid URL of the logo (l); null if there is none
 * @param certificate the valid URL of the mark certificate (a); null if there is none
 * @param declined whether l and a are empty: the domain does not publish a logo
 * @param unknownTags the tags that receivers ignore
 * @param errors each a sentence
 */
record BimiRecord(
        Target.@Nullable Url logo,
        Target.@Nullable Url certificate,
        boolean declined,
        List<String> unknownTags,
        List<String> errors) {
    static final RecordVersion VERSION =
            RecordVersion.of("v[ \\t]*+=[ \\t]*+BIMI1[ \\t]*+(;.*)?", "\\W{0,8}(v\\s{0,8}=\\s{0,8})?bimi.*");
    private static final Set<String> PREFERENCES = Set.of("brand", "personal");
    private static final Pattern OTHER_IMAGE = Pattern.compile("(?s).*\\.(png|jpe?g|gif|webp|bmp|ico|pdf|eps)");

    static BimiRecord parse(String text) {
        TagList tags = TagList.parse(text);
        List<String> errors = new ArrayList<>(tags.errors());
        String location = tags.get("l");
        String evidence = tags.get("a");
        boolean noEvidence = evidence == null || evidence.isEmpty();
        if (location == null) {
            errors.add("The record does not contain the tag l with the URL of the logo.");
        } else if (location.isEmpty() && !noEvidence) {
            errors.add("The tag l is empty, but must contain the URL of the logo.");
        } else if (OTHER_IMAGE.matcher(location.toLowerCase(Locale.ROOT)).matches()) {
            errors.add("The logo " + TagList.quote(location) + " (l) is not an SVG file.");
        }
        String preference = tags.get("avp");
        if (preference != null && !PREFERENCES.contains(preference)) {
            errors.add(
                    "The avatar preference (avp) is " + TagList.quote(preference) + ", but must be brand or personal.");
        }
        return new BimiRecord(
                url("l", location, errors),
                url("a", evidence, errors),
                location != null && location.isEmpty() && noEvidence,
                tags.except("v", "l", "a", "avp", "lps"),
                List.copyOf(errors));
    }

    private static Target.@Nullable Url url(String tag, @Nullable String value, List<String> errors) {
        if (value == null || value.isEmpty()) {
            return null;
        }
        boolean https = value.regionMatches(true, 0, "https://", 0, 8) && value.indexOf(',') < 0;
        Target.Url url = https ? TargetParser.tryUrl(value, "https") : null;
        if (url == null) {
            errors.add("The value of " + tag + " is " + TagList.quote(value)
                    + ", but must be one URL that starts with https://.");
        }
        return url;
    }
}
