package dev.plumbline.http.web.report;

import dev.plumbline.http.web.layout.DisplayText;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The value of a field as a report shows it. */
public sealed interface DisplayValue {

    /** There is none. */
    record Missing() implements DisplayValue {}

    /**
     * Text from elsewhere.
     *
     * @param code whether it is to be read sign by sign: a long number, a digest, nothing but
     *     punctuation
     */
    record PlainText(DisplayText text, boolean code) implements DisplayValue {}

    /** One of a few words that the module knows. */
    record Code(String word) implements DisplayValue {
        private static final Pattern SIGN = Pattern.compile("[a-z]|[^\\p{L}\\p{N}]+");

        /** Whether it is a sign rather than a word: {@code -}, {@code r}. */
        public boolean code() {
            return SIGN.matcher(word).matches();
        }
    }

    /**
     * An address that may be followed.
     *
     * @param href http, https or mailto
     */
    record Link(DisplayText text, String href) implements DisplayValue {}

    record Flag(boolean yes) implements DisplayValue {}

    /**
     * A number.
     *
     * @param shown with its unit, as people read it
     * @param exact as it was sent, with its unit; null where that is what is shown
     */
    record Number(String shown, @Nullable String exact) implements DisplayValue {}

    /**
     * A time.
     *
     * @param iso as it was sent: RFC 3339, UTC
     * @param shown for those whose browser does not put it in their zone
     */
    record Moment(String iso, String shown) implements DisplayValue {}

    /** Several values. */
    record Items(List<DisplayValue> values) implements DisplayValue {}

    /** Named values. */
    record Members(List<Named> members) implements DisplayValue {}

    record Named(DisplayText name, @Nullable String help, DisplayValue value) {}

    /** Rows that all have the same columns. */
    record Grid(List<DisplayText> columns, List<List<DisplayValue>> rows) implements DisplayValue {}

    /** Rows of which some hold others. */
    record Branches(List<Branch> branches) implements DisplayValue {}

    /**
     * One of them.
     *
     * @param head what it is; null where it has no name
     * @param facts plain values
     * @param inner what it holds besides; may be large
     */
    record Branch(@Nullable DisplayValue head, List<Named> facts, List<Named> inner) {}

    /** Certificates from a server's own to a root; each was issued by the next. */
    record Chain(List<Certificate> links) implements DisplayValue {}

    record Certificate(DisplayText subject, DisplayText issuer, List<Named> rest) {}

    /** Redirects in order, and where they end. */
    record Path(List<Hop> hops) implements DisplayValue {}

    /**
     * A step.
     *
     * @param status as a class of its first digit says, and as text; empty where it is not known
     * @param bar how long it took; null where that is not known
     */
    record Hop(DisplayValue url, String status, List<Named> rest, @Nullable Bar bar) {}

    /**
     * A length of time beside others.
     *
     * @param start where it begins, in percent of the whole
     * @param length in percent of the whole
     */
    record Bar(String name, @Nullable String help, String shown, double start, double length) {}

    /** Lengths of time, the longest as wide as the picture. */
    record Waterfall(List<Bar> bars) implements DisplayValue {}
}
