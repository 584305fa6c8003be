package dev.plumbline.http.web.layout;

import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A value of a result in the form in which a page displays it. */
public sealed interface DisplayValue {

    /** A list or table with more entries is collapsed. */
    int MAX_EXPANDED_ENTRIES = 8;

    /**
     * Null.
     *
     * @param text what null means; null in a table of results, in which it can have several reasons
     */
    record Missing(@Nullable String text) implements DisplayValue {}

    /**
     * Untrusted text.
     *
     * @param code whether it is displayed in a monospaced font: long numbers, digests and punctuation
     */
    record PlainText(DisplayText text, boolean code) implements DisplayValue {
        private static final int MAX_EXPANDED_CHARACTERS = 500;

        public int length() {
            return text.line().length();
        }

        public boolean collapsed() {
            return length() > MAX_EXPANDED_CHARACTERS;
        }
    }

    /** One of the declared values of a field. */
    record EnumValue(String value) implements DisplayValue {
        private static final Pattern SYMBOL = Pattern.compile("[a-z]|[^\\p{L}\\p{N}]+");

        /** Whether the value is a symbol instead of a word: {@code -}, {@code r}. */
        public boolean symbol() {
            return SYMBOL.matcher(value).matches();
        }

        /** The value with spaces instead of underscores: {@code hostname mismatch}. */
        public String label() {
            return value.replace('_', ' ');
        }
    }

    /**
     * A link to a site outside of the service.
     *
     * @param href http, https or mailto
     */
    record Link(DisplayText text, String href) implements DisplayValue {}

    record Flag(boolean yes) implements DisplayValue {}

    /**
     * The grade of a composite or of one of its areas.
     *
     * @param grade null if it was not determined
     * @param score of 100; null if it was not determined or is not displayed
     */
    record Grade(@Nullable String grade, @Nullable Long score) implements DisplayValue {
        /** The class of the colors of the grade. */
        public String tone() {
            return Labels.gradeTone(grade);
        }
    }

    /**
     * @param text rounded, with its unit
     * @param exact the value of the result with its unit; null if the text is exact
     */
    record Quantity(String text, @Nullable String exact) implements DisplayValue {}

    /**
     * @param iso RFC 3339, UTC
     * @param text in UTC; a script adds the local time as title
     * @param relative relative to the check, for example {@code 11 days ago}; null if it is not displayed
     */
    record Timestamp(String iso, String text, @Nullable String relative) implements DisplayValue {}

    record Items(List<DisplayValue> values) implements DisplayValue {
        private static final int MAX_CHARACTERS_IN_COLUMN = 40;

        /** Whether each item is displayed on its own line, because one of them is a longer text of several words. */
        public boolean lines() {
            return values.stream()
                    .anyMatch(value -> value instanceof PlainText plain
                            && plain.length() > MAX_CHARACTERS_IN_COLUMN
                            && plain.text().line().indexOf(' ') >= 0);
        }

        public boolean collapsed() {
            return values.size() > MAX_EXPANDED_ENTRIES;
        }
    }

    record ObjectMembers(List<Member> members) implements DisplayValue {}

    /** @param help the description, or null */
    record Member(DisplayText name, @Nullable String help, DisplayValue value) {}

    record Table(List<DisplayText> columns, List<List<DisplayValue>> rows) implements DisplayValue {
        public boolean collapsed() {
            return rows.size() > MAX_EXPANDED_ENTRIES;
        }
    }

    /** Objects that contain other objects or arrays. */
    record Tree(List<TreeNode> nodes) implements DisplayValue {
        public boolean collapsed() {
            return nodes.size() > MAX_EXPANDED_ENTRIES;
        }
    }

    /**
     * @param head the name of the node, or null
     * @param facts plain values
     * @param children objects and arrays
     */
    record TreeNode(@Nullable DisplayValue head, List<Member> facts, List<Member> children) {}

    /** Certificates from the leaf to the root. */
    record CertificateChain(List<Certificate> certificates) implements DisplayValue {
        public boolean collapsed() {
            return certificates.size() > MAX_EXPANDED_ENTRIES;
        }
    }

    /** @param details all other fields */
    record Certificate(DisplayText subject, DisplayText issuer, List<Member> details) {}

    /** Redirects in order, then the final response. */
    record RedirectPath(List<Hop> hops) implements DisplayValue {
        public boolean collapsed() {
            return hops.size() > MAX_EXPANDED_ENTRIES;
        }
    }

    /**
     * @param status the HTTP status code; empty if unknown
     * @param details all other fields
     * @param time null if unknown
     */
    record Hop(DisplayValue url, String status, List<Member> details, @Nullable TimeBar time) {}

    /**
     * A duration on a common time axis.
     *
     * @param text the duration with its unit
     * @param start percent of the axis
     * @param length percent of the axis
     */
    record TimeBar(String name, @Nullable String help, String text, double start, double length) {}

    /** Durations; the axis ends at the longest one. */
    record Waterfall(List<TimeBar> bars) implements DisplayValue {}
}
