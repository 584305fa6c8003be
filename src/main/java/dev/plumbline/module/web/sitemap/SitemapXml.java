package dev.plumbline.module.web.sitemap;

import com.google.common.base.Strings;
import dev.plumbline.html.BoundedXmlReader;
import dev.plumbline.module.web.sitemap.SitemapFile.End;
import dev.plumbline.module.web.sitemap.SitemapFile.Kind;
import dev.plumbline.probe.http.HttpBody;
import dev.plumbline.target.PrintableText;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import javax.xml.XMLConstants;
import javax.xml.stream.Location;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import org.jspecify.annotations.Nullable;

/**
 * Reads a sitemap or feed in XML with a streaming parser, without DTDs and entities. Namespaces are compared by the
 * prefix of the root element, because the namespace processing of the parser is not linear in time.
 */
final class SitemapXml {
    static final String NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9";
    private static final Set<String> ATOM_NAMESPACES =
            Set.of("http://www.w3.org/2005/Atom", "http://purl.org/atom/ns#");
    private static final int MAX_DEPTH = 64;
    private static final int MAX_ATTRIBUTES = 100;
    private static final int MAX_SHOWN = 50;

    /** Longer than the longest URL. */
    private static final int MAX_VALUE = 2_100;

    private static final String XMLNS = "xmlns";

    private final SitemapEntries entries;
    private final Set<String> prefixes = new HashSet<>(Set.of("xml"));
    private final StringBuilder text = new StringBuilder();
    private @Nullable Kind kind;
    private @Nullable String namespace;
    private String rootPrefix = "";
    private int depth;
    /** The number of elements from the root that are on the path to an entry. */
    private int matched;

    private @Nullable String element;
    private End end = End.COMPLETE;
    private String fault = "";

    SitemapXml(SitemapEntries entries) {
        this.entries = entries;
    }

    /**
     * Reads the document.
     *
     * @param content whose characters the reader provides; if truncated, they end before the end of the document
     * @param utf8 whether the characters were decoded from UTF-8
     */
    SitemapFile read(BoundedXmlReader in, HttpBody content, boolean utf8) {
        int line = 0;
        try {
            XMLStreamReader xml = factory().createXMLStreamReader(in);
            while (end == End.COMPLETE && xml.hasNext()) {
                int event = xml.next();
                line = xml.getLocation().getLineNumber();
                event(xml, event, line);
            }
        } catch (XMLStreamException broken) {
            failed(in, content.truncated(), broken, line);
        } catch (RuntimeException broken) {
            // The parser throws unchecked exceptions for some malformed input.
            malformed("the XML cannot be parsed", line);
        }
        return entries.file(kind, end, fault, namespace, content.size(), utf8 && !in.replaced());
    }

    private static XMLInputFactory factory() {
        XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        factory.setProperty(XMLInputFactory.IS_NAMESPACE_AWARE, false);
        factory.setProperty(XMLConstants.ACCESS_EXTERNAL_DTD, "");
        factory.setProperty("jdk.xml.elementAttributeLimit", MAX_ATTRIBUTES);
        return factory;
    }

    private void failed(BoundedXmlReader in, boolean truncated, XMLStreamException broken, int lastLine) {
        BoundedXmlReader.Fault cause = in.fault();
        if (cause == BoundedXmlReader.Fault.DOCTYPE) {
            end = End.DOCTYPE;
        } else if (cause == BoundedXmlReader.Fault.TOO_LONG) {
            malformed("a tag or text has more than %,d characters".formatted(BoundedXmlReader.MAX_TOKEN), lastLine);
        } else if (truncated && in.ended()) {
            end = End.SIZE_LIMIT;
        } else {
            Location location = broken.getLocation();
            malformed(message(broken), location == null ? lastLine : location.getLineNumber());
        }
    }

    /** The reason, without the position that the parser adds. */
    private static String message(XMLStreamException broken) {
        String message = Strings.nullToEmpty(broken.getMessage());
        int start = message.indexOf("Message: ");
        String reason = start < 0 ? message : message.substring(start + "Message: ".length());
        String line = reason.strip().lines().findFirst().orElse("the XML cannot be parsed");
        return line.endsWith(".") ? line.substring(0, line.length() - 1) : line;
    }

    private void malformed(String reason, int line) {
        end = End.MALFORMED;
        fault = entries.error(line, reason);
    }

    private void event(XMLStreamReader xml, int event, int line) {
        switch (event) {
            case XMLStreamConstants.START_ELEMENT -> start(xml, line);
            case XMLStreamConstants.END_ELEMENT -> end(line);
            case XMLStreamConstants.CHARACTERS, XMLStreamConstants.CDATA, XMLStreamConstants.SPACE -> {
                if (element != null && text.length() < MAX_VALUE) {
                    int length = Math.min(xml.getTextLength(), MAX_VALUE - text.length());
                    text.append(xml.getTextCharacters(), xml.getTextStart(), length);
                }
            }
            default -> {}
        }
    }

    private void start(XMLStreamReader xml, int line) {
        depth++;
        if (depth > MAX_DEPTH) {
            malformed("the elements are nested more than %d levels deep".formatted(MAX_DEPTH), line);
            return;
        }
        String name = xml.getLocalName();
        int colon = name.indexOf(':');
        String prefix = colon < 0 ? "" : name.substring(0, colon);
        String local = name.substring(colon + 1);
        declarePrefixes(xml);
        if (colon >= 0 && !prefixes.contains(prefix)) {
            malformed(
                    "the prefix of the element <%s> is not declared".formatted(PrintableText.cut(name, MAX_SHOWN)),
                    line);
            return;
        }
        if (depth == 1) {
            root(xml, prefix, local);
            return;
        }
        Kind known = kind;
        if (known != null && prefix.equals(rootPrefix)) {
            inRootNamespace(xml, known, local, line);
        }
    }

    private void declarePrefixes(XMLStreamReader xml) {
        for (int i = 0; i < xml.getAttributeCount(); i++) {
            if (XMLNS.equals(xml.getAttributePrefix(i))) {
                prefixes.add(xml.getAttributeLocalName(i));
            }
        }
    }

    private void root(XMLStreamReader xml, String prefix, String local) {
        for (Kind known : Kind.values()) {
            if (!known.path.isEmpty() && known.path.get(0).equals(local)) {
                kind = known;
                matched = 1;
                rootPrefix = prefix;
            }
        }
        if (kind == null) {
            end = End.NOT_A_SITEMAP;
            fault = local.equalsIgnoreCase("html")
                    ? "the response is an HTML page"
                    : "the root element is <%s>".formatted(PrintableText.cut(local, MAX_SHOWN));
            return;
        }
        String declared = prefix.isEmpty() ? attribute(xml, "", XMLNS) : attribute(xml, XMLNS, prefix);
        boolean expected = kind == Kind.RSS
                || (kind == Kind.ATOM ? ATOM_NAMESPACES.contains(declared) : declared.equals(NAMESPACE));
        namespace = expected ? null : declared;
    }

    private void inRootNamespace(XMLStreamReader xml, Kind known, String local, int line) {
        List<String> path = known.path;
        if (matched == depth - 1 && depth <= path.size()) {
            if (path.get(depth - 1).equals(local)) {
                matched = depth;
            } else if (known.isProtocol()) {
                entries.unknownContainer(local, line);
            }
        } else if (matched == path.size() && depth == matched + 1) {
            element = local;
            text.setLength(0);
            String href = known == Kind.ATOM && local.equals("link") ? attribute(xml, "", "href") : "";
            String relation = attribute(xml, "", "rel");
            if (!href.isEmpty() && (relation.isEmpty() || relation.equals("alternate"))) {
                text.append(href, 0, Math.min(href.length(), MAX_VALUE));
            }
        }
    }

    private void end(int line) {
        Kind known = kind;
        if (known != null) {
            if (element != null && depth == known.path.size() + 1) {
                String value = text.toString().strip();
                if (known.isProtocol() || !value.isEmpty()) {
                    entries.element(known, element, value, line);
                }
                element = null;
            } else if (depth == known.path.size() && matched == depth && !entries.end(known, line)) {
                end = End.URL_LIMIT;
            }
        }
        if (matched == depth) {
            matched--;
        }
        depth--;
    }

    /** The value of an attribute; empty if it is not set. */
    private static String attribute(XMLStreamReader xml, String prefix, String name) {
        for (int i = 0; i < xml.getAttributeCount(); i++) {
            if (xml.getAttributeLocalName(i).equals(name)
                    && xml.getAttributePrefix(i).equals(prefix)) {
                return xml.getAttributeValue(i);
            }
        }
        return "";
    }
}
