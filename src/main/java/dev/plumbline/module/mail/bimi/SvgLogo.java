package dev.plumbline.module.mail.bimi;

import com.google.common.hash.Hashing;
import dev.plumbline.html.BoundedXmlReader;
import dev.plumbline.module.mail.record.TagList;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import javax.xml.XMLConstants;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;
import org.jspecify.annotations.Nullable;

/**
 * The evaluation of a logo in the profile SVG Tiny Portable/Secure (draft-svg-tiny-ps-abrotman).
 *
 * @param square whether the view box is a square
 * @param viewBox the attribute; null if it is not set
 * @param errors each a sentence, at most {@link #MAX_ERRORS}
 */
record SvgLogo(boolean square, @Nullable String viewBox, List<String> errors) {
    static final int MAX_ERRORS = 20;

    /** The maximum size of a logo that is evaluated. */
    static final int MAX_BYTES = 256 * 1024;

    /** The recommended maximum size of the uncompressed file. */
    static final int RECOMMENDED_BYTES = 32 * 1024;

    private static final String NAMESPACE = "http://www.w3.org/2000/svg";
    private static final int MAX_DEPTH = 256;
    private static final int MAX_ATTRIBUTES = 100;
    private static final Predicate<String> FORBIDDEN = Pattern.compile(
                    "(?i)script|handler|listener|animate(color|motion|transform)?|set|discard|animation|audio|video|image"
                            + "|foreignobject|iframe|a")
            .asMatchPredicate();

    /** A reference to another document in a value: {@code url(...)} without {@code #}, or {@code @import}. */
    private static final Pattern EXTERNAL =
            Pattern.compile("(?i)url\\(\\s{0,16}['\"]?(?!\\s{0,16}['\"]?#)|@import|javascript:");

    private static final Pattern SPACES = Pattern.compile("[\\s,]++");

    /**
     * A file without its gzip compression (SVGZ).
     *
     * @throws IOException if the data is malformed or has more than {@link #MAX_BYTES}
     */
    static byte[] uncompressed(byte[] file) throws IOException {
        if (file.length < 2 || file[0] != 0x1f || file[1] != (byte) 0x8b) {
            return file;
        }
        try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(file))) {
            byte[] svg = in.readNBytes(MAX_BYTES + 1);
            if (svg.length > MAX_BYTES) {
                throw new IOException("too large");
            }
            return svg;
        }
    }

    /** The SHA-256 digest in hexadecimal digits. */
    static String digest(byte[] svg) {
        return Hashing.sha256().hashBytes(svg).toString();
    }

    /** @param svg the uncompressed file */
    static SvgLogo parse(byte[] svg) {
        return new Parser().parse(svg);
    }

    private static final class Parser {
        private final Set<String> errors = new LinkedHashSet<>();
        private final StringBuilder title = new StringBuilder();
        private @Nullable String viewBox;
        private int depth;
        private boolean inTitle;
        private boolean inStyle;

        SvgLogo parse(byte[] svg) {
            BoundedXmlReader in =
                    new BoundedXmlReader(new InputStreamReader(new ByteArrayInputStream(svg), StandardCharsets.UTF_8));
            try {
                XMLStreamReader xml = factory().createXMLStreamReader(in);
                while (xml.hasNext() && depth <= MAX_DEPTH) {
                    event(xml, xml.next());
                }
                if (depth > MAX_DEPTH) {
                    error("The elements are nested more than " + MAX_DEPTH + " levels deep.");
                } else if (title.toString().isBlank()) {
                    error("The root element does not have a title element with text.");
                }
            } catch (XMLStreamException | RuntimeException malformed) {
                // The parser throws unchecked exceptions for some malformed input.
                error(
                        in.fault() == BoundedXmlReader.Fault.DOCTYPE
                                ? "The file contains a document type declaration."
                                : "The file is not well-formed XML.");
            }
            return new SvgLogo(square(viewBox), viewBox, List.copyOf(errors));
        }

        private static XMLInputFactory factory() {
            XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
            factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
            factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
            factory.setProperty(XMLConstants.ACCESS_EXTERNAL_DTD, "");
            factory.setProperty("jdk.xml.elementAttributeLimit", MAX_ATTRIBUTES);
            return factory;
        }

        private void event(XMLStreamReader xml, int event) {
            switch (event) {
                case XMLStreamConstants.START_ELEMENT -> start(xml);
                case XMLStreamConstants.END_ELEMENT -> {
                    inTitle = false;
                    inStyle = false;
                    depth--;
                }
                case XMLStreamConstants.CHARACTERS, XMLStreamConstants.CDATA -> {
                    if (inTitle) {
                        title.append(xml.getText());
                    } else if (inStyle) {
                        requireLocal("style", xml.getText());
                    }
                }
                case XMLStreamConstants.PROCESSING_INSTRUCTION -> {
                    if (xml.getPITarget().equals("xml-stylesheet")) {
                        error("The file refers to a style sheet.");
                    }
                }
                default -> {}
            }
        }

        private void start(XMLStreamReader xml) {
            depth++;
            String name = xml.getLocalName();
            if (depth == 1) {
                root(xml, name);
            } else if (FORBIDDEN.test(name)) {
                error("The element <" + name + "> is not allowed.");
            }
            inTitle = depth == 2 && name.equals("title");
            inStyle = name.equals("style");
            for (int i = 0; i < xml.getAttributeCount(); i++) {
                attribute(xml.getAttributeLocalName(i), xml.getAttributeValue(i));
            }
        }

        private void root(XMLStreamReader xml, String name) {
            if (!name.equals("svg") || !NAMESPACE.equals(xml.getNamespaceURI())) {
                error("The root element is not <svg> in the namespace " + NAMESPACE + ".");
                return;
            }
            require(xml, "version", "1.2");
            require(xml, "baseProfile", "tiny-ps");
            if (xml.getAttributeValue(null, "x") != null || xml.getAttributeValue(null, "y") != null) {
                error("The root element has an attribute x or y.");
            }
            viewBox = xml.getAttributeValue(null, "viewBox");
        }

        private void require(XMLStreamReader xml, String name, String value) {
            String actual = xml.getAttributeValue(null, name);
            if (!value.equals(actual)) {
                error("The attribute " + name + " of the root element is "
                        + (actual == null ? "not set" : TagList.quote(actual)) + ", but must be " + value + ".");
            }
        }

        private void attribute(String name, String value) {
            String lower = name.toLowerCase(Locale.ROOT);
            if (lower.equals("href") || lower.equals("src")) {
                if (!value.strip().startsWith("#")) {
                    error("The attribute " + name + " refers to another document: " + TagList.quote(value));
                }
            } else if (lower.startsWith("on")) {
                error("The event attribute " + name + " is not allowed.");
            } else {
                requireLocal(name, value);
            }
        }

        private void requireLocal(String name, String value) {
            if (EXTERNAL.matcher(value).find()) {
                error(name + " refers to another document: " + TagList.quote(value.strip()));
            }
        }

        private void error(String error) {
            if (errors.size() < MAX_ERRORS) {
                errors.add(error);
            }
        }
    }

    private static boolean square(@Nullable String viewBox) {
        if (viewBox == null || viewBox.length() > 200) {
            return false;
        }
        try {
            double[] numbers = SPACES.splitAsStream(viewBox.strip())
                    .mapToDouble(Double::parseDouble)
                    .toArray();
            return numbers.length == 4 && numbers[2] > 0 && numbers[2] == numbers[3];
        } catch (NumberFormatException malformed) {
            return false;
        }
    }
}
