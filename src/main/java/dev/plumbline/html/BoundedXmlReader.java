package dev.plumbline.html;

import java.io.IOException;
import java.io.Reader;
import org.jspecify.annotations.Nullable;

/**
 * The characters of an XML document for a parser that buffers whole tags, comments and texts. Reading fails at the
 * first token over {@link #MAX_TOKEN} characters, and at a document type declaration, before the parser reads it.
 */
public final class BoundedXmlReader extends Reader {
    /** The maximum number of characters of a tag, a comment, a CDATA section or a text. */
    public static final int MAX_TOKEN = 1 << 20;

    /** The last two characters before the {@code >} of these tokens. */
    private static final char COMMENT = '-';

    private static final char CDATA = ']';

    private final Reader in;
    private State state = State.TEXT;
    private int length;
    private char terminator;
    private int terminators;
    private boolean replaced;
    private boolean ended;
    private @Nullable Fault fault;

    private enum State {
        TEXT,
        /** After {@code <}. */
        OPEN,
        /** After {@code <!}. */
        DECLARATION,
        /** After {@code <!-}. */
        DASH,
        /** In a tag, up to the first {@code >}; an attribute value may contain it, but not {@code <}. */
        TAG,
        INSTRUCTION,
        /** In a comment or a CDATA section. */
        SECTION
    }

    /** Why reading failed. */
    public enum Fault {
        DOCTYPE,
        TOO_LONG,
        MALFORMED
    }

    public BoundedXmlReader(Reader in) {
        this.in = in;
    }

    /** Null if reading did not fail. */
    public @Nullable Fault fault() {
        return fault;
    }

    /** Whether all characters were read. */
    public boolean ended() {
        return ended;
    }

    /** Whether the text contains U+FFFD, which replaces bytes that are not valid in its encoding. */
    public boolean replaced() {
        return replaced;
    }

    @Override
    public int read(char[] buffer, int offset, int max) throws IOException {
        int count = in.read(buffer, offset, max);
        ended |= count < 0;
        for (int i = offset; i < offset + count; i++) {
            Fault found = next(buffer[i]);
            if (found != null) {
                fault = found;
                throw new IOException("XML is not accepted: " + found);
            }
        }
        return count;
    }

    private @Nullable Fault next(char c) {
        length++;
        replaced |= c == '\ufffd';
        switch (state) {
            case TEXT -> {
                if (c == '<') {
                    enter(State.OPEN);
                }
            }
            case OPEN -> state = c == '!' ? State.DECLARATION : c == '?' ? State.INSTRUCTION : State.TAG;
            case DECLARATION -> {
                if (c == '[') {
                    section(CDATA);
                } else if (c == '-') {
                    state = State.DASH;
                } else {
                    return Fault.DOCTYPE;
                }
            }
            case DASH -> {
                if (c != '-') {
                    return Fault.MALFORMED;
                }
                section(COMMENT);
            }
            case TAG -> {
                if (c == '>') {
                    enter(State.TEXT);
                }
            }
            case INSTRUCTION -> {
                if (c == '>' && terminators > 0) {
                    enter(State.TEXT);
                }
                terminators = c == '?' ? 1 : 0;
            }
            case SECTION -> {
                if (c == '>' && terminators >= 2) {
                    enter(State.TEXT);
                }
                terminators = c == terminator ? terminators + 1 : 0;
            }
        }
        return length > MAX_TOKEN ? Fault.TOO_LONG : null;
    }

    private void section(char end) {
        state = State.SECTION;
        terminator = end;
        terminators = 0;
    }

    private void enter(State next) {
        state = next;
        length = 0;
        terminators = 0;
    }

    @Override
    public void close() throws IOException {
        in.close();
    }
}
