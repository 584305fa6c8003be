package dev.plumbline.http.web;

import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The value of a field as a report shows it. */
public sealed interface Value {

  /** There is none. */
  record Missing() implements Value {}

  /**
   * Text from elsewhere.
   *
   * @param code whether it is to be read sign by sign: a long number, a digest, nothing but
   *     punctuation
   */
  record Words(Text text, boolean code) implements Value {}

  /** One of a few words that the module knows. */
  record Word(String word) implements Value {
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
  record Link(Text text, String href) implements Value {}

  record Flag(boolean yes) implements Value {}

  /**
   * A number.
   *
   * @param shown with its unit, as people read it
   * @param exact as it was sent, with its unit; null where that is what is shown
   */
  record Number(String shown, @Nullable String exact) implements Value {}

  /**
   * A time.
   *
   * @param iso as it was sent: RFC 3339, UTC
   * @param shown for those whose browser does not put it in their zone
   */
  record Moment(String iso, String shown) implements Value {}

  /** Several values. */
  record Items(List<Value> values) implements Value {}

  /** Named values. */
  record Members(List<Named> members) implements Value {}

  record Named(Text name, @Nullable String help, Value value) {}

  /** Rows that all have the same columns. */
  record Grid(List<Text> columns, List<List<Value>> rows) implements Value {}

  /** Rows of which some hold others. */
  record Branches(List<Branch> branches) implements Value {}

  /**
   * One of them.
   *
   * @param head what it is; null where it has no name
   * @param facts plain values
   * @param inner what it holds besides; may be large
   */
  record Branch(@Nullable Value head, List<Named> facts, List<Named> inner) {}

  /** Certificates from a server's own to a root; each was issued by the next. */
  record Chain(List<Certificate> links) implements Value {}

  record Certificate(Text subject, Text issuer, List<Named> rest) {}

  /** Redirects in order, and where they end. */
  record Path(List<Hop> hops) implements Value {}

  /**
   * A step.
   *
   * @param status as a class of its first digit says, and as text; empty where it is not known
   * @param bar how long it took; null where that is not known
   */
  record Hop(Value url, String status, List<Named> rest, @Nullable Bar bar) {}

  /**
   * A length of time beside others.
   *
   * @param start where it begins, in percent of the whole
   * @param length in percent of the whole
   */
  record Bar(String name, @Nullable String help, String shown, double start, double length) {}

  /** Lengths of time, the longest as wide as the picture. */
  record Waterfall(List<Bar> bars) implements Value {}
}
