package dev.plumbline.module.web.sitemap;

import dev.plumbline.html.BoundedXmlReader;
import dev.plumbline.module.web.sitemap.SitemapFile.End;
import dev.plumbline.module.web.sitemap.SitemapFile.Kind;
import dev.plumbline.probe.http.HttpBody;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Parses sitemaps: the XML formats of https://www.sitemaps.org/protocol.html, RSS 2.0, Atom, and text files with one
 * URL per line, also compressed with gzip. Pure and linear in the length of the content.
 */
record SitemapParser(SitemapEntries entries) {
    private static final String MALFORMED_GZIP = "The gzip data is malformed or incomplete";
    private static final int MAX_LINE = 4_096;
    private static final int MAX_START = 400;
    private static final Pattern ENCODING = Pattern.compile(
            "^(?:\u00ef\u00bb\u00bf)?\\s*+<\\?xml\\s[^>]*?encoding\\s*=\\s*[\"']([A-Za-z0-9._-]{1,40})");
    private static final Pattern URL_START = Pattern.compile("^https?://", Pattern.CASE_INSENSITIVE);
    private static final Pattern HTML_START = Pattern.compile(
            "^(?:<!--.*?-->\\s*+)?<(?:!doctype\\s+html|html)\\b", Pattern.CASE_INSENSITIVE | Pattern.DOTALL);

    /**
     * @param body the content without content codings
     * @param maxBytes the maximum number of decompressed bytes
     * @param entries evaluates the entries
     */
    static SitemapFile parse(HttpBody body, int maxBytes, SitemapEntries entries) {
        HttpBody content = isGzip(body) ? body.gunzipped(maxBytes) : body;
        SitemapParser parser = new SitemapParser(entries);
        if (content.unreadable()) {
            return body.truncated()
                    ? parser.entries.file(null, End.SIZE_LIMIT, "", null, content.size(), true)
                    : parser.entries.file(
                            null, End.MALFORMED, parser.entries.error(0, MALFORMED_GZIP), null, content.size(), true);
        }
        try {
            return parser.read(content);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }

    private static boolean isGzip(HttpBody body) {
        byte[] bytes = body.shared();
        return bytes.length > 2 && bytes[0] == 0x1f && bytes[1] == (byte) 0x8b;
    }

    private SitemapFile read(HttpBody content) throws IOException {
        byte[] bytes = content.shared();
        Charset charset = charset(bytes);
        BufferedReader in = new BufferedReader(new InputStreamReader(new ByteArrayInputStream(bytes), charset));
        boolean spaces = skipSpaces(in);
        String start = start(in);
        if (start.isEmpty()) {
            return notASitemap(content, "the response is empty");
        }
        if (HTML_START.matcher(start).find()) {
            return notASitemap(content, "the response is an HTML page");
        }
        boolean utf8 = charset.equals(StandardCharsets.UTF_8);
        if (start.startsWith("<")) {
            if (spaces && start.startsWith("<?xml")) {
                entries.error(0, "The XML declaration is not at the start of the file");
            }
            return new SitemapXml(entries).read(new BoundedXmlReader(in), content, utf8);
        }
        return URL_START.matcher(start).find()
                ? readText(in, content, utf8)
                : notASitemap(content, "the content is not XML and not a list of URLs");
    }

    /** Skips a byte order mark and spaces. Returns whether there were spaces. */
    private boolean skipSpaces(BufferedReader in) throws IOException {
        boolean spaces = false;
        while (true) {
            in.mark(1);
            int c = in.read();
            if (c != '\ufeff' && (c < 0 || !Character.isWhitespace(c))) {
                in.reset();
                return spaces;
            }
            if (c == '\n') {
                entries.skipLine();
            }
            spaces |= c != '\ufeff';
        }
    }

    /** The first characters, which remain unread. */
    private static String start(BufferedReader in) throws IOException {
        in.mark(MAX_START);
        char[] start = new char[MAX_START];
        int length = in.read(start);
        in.reset();
        return new String(start, 0, Math.max(0, length));
    }

    private SitemapFile notASitemap(HttpBody content, String reason) {
        return entries.file(null, End.NOT_A_SITEMAP, reason, null, content.size(), true);
    }

    private SitemapFile readText(Reader in, HttpBody content, boolean utf8) throws IOException {
        StringBuilder line = new StringBuilder();
        int number = 1;
        boolean replaced = false;
        for (int c = in.read(); c >= 0; c = in.read()) {
            replaced |= c == '\ufffd';
            if (c != '\n' && c != '\r') {
                if (line.length() < MAX_LINE) {
                    line.append((char) c);
                }
                continue;
            }
            if (!line(line, number)) {
                return entries.file(Kind.TEXT, End.URL_LIMIT, "", null, content.size(), utf8 && !replaced);
            }
            number += c == '\n' ? 1 : 0;
        }
        End end = content.truncated() ? End.SIZE_LIMIT : line(line, number) ? End.COMPLETE : End.URL_LIMIT;
        return entries.file(Kind.TEXT, end, "", null, content.size(), utf8 && !replaced);
    }

    private boolean line(StringBuilder line, int number) {
        String url = line.toString().strip();
        line.setLength(0);
        if (url.isEmpty()) {
            return true;
        }
        entries.element(Kind.TEXT, Kind.TEXT.location, url, number);
        return entries.end(Kind.TEXT, number);
    }

    /** The encoding by the byte order mark, the first {@code <} or the XML declaration; otherwise UTF-8. */
    private static Charset charset(byte[] bytes) {
        int first = bytes.length < 2 ? 0 : (bytes[0] & 0xff) << 8 | bytes[1] & 0xff;
        if (first == 0xfeff || first == '<') {
            return StandardCharsets.UTF_16BE;
        }
        if (first == 0xfffe || first == '<' << 8) {
            return StandardCharsets.UTF_16LE;
        }
        Matcher declaration =
                ENCODING.matcher(new String(bytes, 0, Math.min(bytes.length, MAX_START), StandardCharsets.ISO_8859_1));
        try {
            Charset declared = declaration.find() ? Charset.forName(declaration.group(1)) : StandardCharsets.UTF_8;
            return declared.equals(StandardCharsets.US_ASCII) ? StandardCharsets.UTF_8 : declared;
        } catch (IllegalArgumentException unsupported) {
            return StandardCharsets.UTF_8;
        }
    }
}
