package dev.plumbline.docs;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The parts of a source file that a person reads. All other characters are replaced by {@link #BARRIER}, so that
 * offsets and line numbers stay those of the file.
 *
 * @param prose texts without code; phrases are separated by whitespace, other parts by barriers
 * @param code texts and the code in them
 */
record ReadableText(String prose, String code) {
    /** Separates texts that do not belong together. It matches neither words nor whitespace. */
    static final char BARRIER = '\u0001';

    private static final Pattern INLINE_CODE = Pattern.compile("`[^`\\x01\\n]*+`");
    private static final Pattern IDENTIFIER = Pattern.compile("[^\\s\\p{Lu}]\\S*+");

    /** The text of a file, by its name. */
    static ReadableText of(String name, String source) {
        if (name.endsWith(".md")) {
            return markdown(source);
        }
        if (name.endsWith(".java") || name.endsWith(".json")) {
            return finished(literals(source, "\""));
        }
        if (name.endsWith(".js")) {
            return finished(literals(source, "\"'"));
        }
        if (name.endsWith(".jte")) {
            return finished(template(source));
        }
        if (name.endsWith(".yaml")) {
            return finished(yaml(source));
        }
        return finished(comments(source));
    }

    private static ReadableText finished(String code) {
        return new ReadableText(blank(code, INLINE_CODE), code);
    }

    private static ReadableText markdown(String source) {
        String code = blank(source, Pattern.compile("\\n(?=\\s*\\n)"));
        String prose = blank(code, Pattern.compile("(?s)```.*?```"));
        return new ReadableText(blank(blank(prose, INLINE_CODE), Pattern.compile("\\]\\([^)\\s]*+\\)")), code);
    }

    /** Comments that begin with a number sign, also behind a command. */
    private static String comments(String source) {
        StringBuilder text = new StringBuilder();
        for (String line : source.split("(?<=\\n)")) {
            Matcher comment = Pattern.compile("^#!.*|(?:^|(?<=\\s))#+").matcher(line);
            int from = comment.find() && !line.startsWith("#!") ? comment.end() : line.length();
            boolean alone = from < line.length()
                    && line.substring(0, from).replace('#', ' ').isBlank();
            text.append(String.valueOf(alone ? ' ' : BARRIER).repeat(from)).append(line.substring(from));
        }
        return text.toString();
    }

    private static final Pattern YAML_LINE =
            Pattern.compile("(\\s*(?:- +)*(?:[\\w.-]+:(?=\\s))?)(.*\\n?)", Pattern.DOTALL);
    private static final Pattern FLOW_TOKEN =
            Pattern.compile("[\\[{,]\\s*[\\w.*-]+(?::|(?=\\s*[,\\]}]))|:\\s*[\\w.*-]+(?=\\s*[,}])");

    /** Comments and values; neither keys nor values that are identifiers. */
    private static String yaml(String source) {
        StringBuilder text = new StringBuilder();
        for (String line : source.split("(?<=\\n)")) {
            Matcher parts = YAML_LINE.matcher(line);
            if (line.isBlank() || !parts.matches()) {
                text.append(barriers(line));
                continue;
            }
            String key = parts.group(1);
            String value = parts.group(2);
            if (key.isBlank()) {
                text.append(key).append(value.startsWith("#") ? " " + value.substring(1) : value);
            } else if (value.stripLeading().startsWith("[")
                    || value.stripLeading().startsWith("{")) {
                text.append(barriers(key)).append(blank(value, FLOW_TOKEN));
            } else {
                text.append(barriers(key)).append(identifier(value) ? barriers(value) : value);
            }
        }
        return text.toString();
    }

    private static final Pattern TEMPLATE_COMMENT = Pattern.compile("(?s)<%--.*?--%>");
    private static final Pattern TEMPLATE_DECLARATION = Pattern.compile("(?m)^@(?:import|param) .*$");
    private static final Pattern TEMPLATE_CODE = Pattern.compile("(?:\\$unsafe|\\$|!)\\{|@[\\w.]+(?:\\s*\\()?");
    private static final Pattern TAG = Pattern.compile("</?[a-zA-Z][^>]*+>");
    private static final Pattern READ_ATTRIBUTE =
            Pattern.compile("\\s(?:aria-label|title|placeholder|alt|content)=\"([^\"]*+)\"");

    /** The text of a jte template: outside of tags, in some attributes, and literals in code. */
    private static String template(String source) {
        String rest = blank(blank(source, TEMPLATE_COMMENT), TEMPLATE_DECLARATION);
        StringBuilder text = new StringBuilder(rest);
        Matcher begin = TEMPLATE_CODE.matcher(rest);
        int position = 0;
        while (begin.find(position)) {
            char last = rest.charAt(begin.end() - 1);
            int end = last == '{' || last == '(' ? closing(rest, begin.end() - 1) : begin.end();
            text.replace(begin.start(), end, literals(rest.substring(begin.start(), end), "\""));
            position = end;
        }
        Matcher tag = TAG.matcher(text.toString());
        while (tag.find()) {
            StringBuilder kept = new StringBuilder(barriers(tag.group()));
            Matcher attribute = READ_ATTRIBUTE.matcher(tag.group());
            while (attribute.find()) {
                kept.replace(attribute.start(1), attribute.end(1), attribute.group(1));
            }
            text.replace(tag.start(), tag.end(), kept.toString());
        }
        return text.toString();
    }

    /** The end of a bracket, or the beginning of a content block in it. Literals are skipped. */
    private static int closing(String source, int open) {
        int depth = 0;
        for (int i = open; i < source.length(); i++) {
            char c = source.charAt(i);
            if (c == '"') {
                i = literalEnd(source, i, 1) - 1;
            } else if (source.startsWith("@`", i)) {
                return i + 2;
            } else if (c == '{' || c == '(') {
                depth++;
            } else if ((c == '}' || c == ')') && --depth == 0) {
                return i + 1;
            }
        }
        return source.length();
    }

    /** The string literals of a source; concatenated ones are joined, identifiers are left out. */
    private static String literals(String source, String quotes) {
        StringBuilder text = new StringBuilder(barriers(source));
        int groupStart = -1;
        int groupEnd = -1;
        int i = 0;
        while (i < source.length()) {
            char c = source.charAt(i);
            if (source.startsWith("//", i)) {
                i = indexAfter(source, "\n", i);
            } else if (source.startsWith("/*", i)) {
                i = indexAfter(source, "*/", i);
            } else if (quotes.indexOf(c) >= 0) {
                int quote = source.startsWith("\"\"\"", i) ? 3 : 1;
                int end = literalEnd(source, i, quote);
                if (groupStart >= 0
                        && source.substring(groupEnd, i).replace('+', ' ').isBlank()) {
                    text.replace(groupEnd - 1, i + 1, " ".repeat(i + 2 - groupEnd));
                } else {
                    dropIdentifier(text, groupStart, groupEnd);
                    groupStart = i;
                }
                String content = source.substring(i + quote, end - quote);
                text.replace(i + quote, end - quote, blank(content, Pattern.compile("\\\\.")));
                groupEnd = end;
                i = end;
            } else if (c == '\'') {
                i = literalEnd(source, i, 1);
            } else {
                i++;
            }
        }
        dropIdentifier(text, groupStart, groupEnd);
        return text.toString();
    }

    private static void dropIdentifier(StringBuilder text, int start, int end) {
        if (start >= 0 && identifier(text.substring(start, end).replace(BARRIER, ' '))) {
            text.replace(start, end, barriers(text.substring(start, end)));
        }
    }

    private static boolean identifier(String text) {
        return IDENTIFIER.matcher(text.strip()).matches();
    }

    private static int indexAfter(String source, String end, int from) {
        int found = source.indexOf(end, from);
        return found < 0 ? source.length() : found + end.length();
    }

    private static int literalEnd(String source, int start, int quote) {
        String end = source.substring(start, start + quote);
        int i = start + quote;
        while (i < source.length() && !source.startsWith(end, i)) {
            i += source.charAt(i) == '\\' ? 2 : 1;
        }
        return Math.min(source.length(), i + quote);
    }

    private static String blank(String text, Pattern pattern) {
        return pattern.matcher(text).replaceAll(found -> Matcher.quoteReplacement(barriers(found.group())));
    }

    /** As many barriers as the text has characters; line breaks stay, in front of a barrier. */
    private static String barriers(String text) {
        return text.replaceAll("[^\\n]", String.valueOf(BARRIER));
    }
}
