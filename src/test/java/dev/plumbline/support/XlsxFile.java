package dev.plumbline.support;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/** Reads an Office Open XML workbook (ECMA-376) with an XML parser, independently of the library that writes it. */
public final class XlsxFile {
    private final Map<String, Document> parts = new LinkedHashMap<>();

    /**
     * A cell.
     *
     * @param type {@code n} for a number, {@code b} for a boolean, {@code inlineStr} for a text
     * @param text with resolved escape sequences
     * @param format the number format; null if it is the default
     */
    public record Cell(String type, String text, String format) {
        public double number() {
            if (!type.equals("n")) {
                throw new IllegalStateException(this + " is not a number");
            }
            return Double.parseDouble(text);
        }
    }

    /** A sheet, whose first row is the header. */
    public record Sheet(Document xml, List<String> header, List<Map<String, Cell>> rows) {
        /** The texts of a column; null for an empty cell. */
        public List<String> column(String name) {
            return rows.stream()
                    .map(row -> row.get(name) == null ? null : row.get(name).text())
                    .toList();
        }
    }

    private XlsxFile() {}

    public static XlsxFile read(byte[] bytes) {
        XlsxFile workbook = new XlsxFile();
        try {
            Path file = Files.createTempFile("workbook", ".xlsx");
            Files.write(file, bytes);
            try (ZipFile zip = new ZipFile(file.toFile())) {
                for (ZipEntry entry : zip.stream().toList()) {
                    try (InputStream in = zip.getInputStream(entry)) {
                        workbook.parts.put(entry.getName(), parse(in));
                    }
                }
            } finally {
                Files.delete(file);
            }
        } catch (IOException invalid) {
            throw new UncheckedIOException(invalid);
        }
        return workbook;
    }

    private static Document parse(InputStream in) throws IOException {
        try {
            DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
            factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
            return factory.newDocumentBuilder().parse(in);
        } catch (ParserConfigurationException | SAXException invalid) {
            throw new IOException(invalid);
        }
    }

    /** The XML documents by the names of the parts. */
    public Map<String, Document> parts() {
        return parts;
    }

    /** The names of the sheets, in order. */
    public List<String> names() {
        return elements(part("xl/workbook.xml"), "sheet")
                .map(sheet -> sheet.getAttribute("name"))
                .toList();
    }

    public Sheet sheet(String name) {
        String id = elements(part("xl/workbook.xml"), "sheet")
                .filter(sheet -> sheet.getAttribute("name").equals(name))
                .findFirst()
                .orElseThrow()
                .getAttribute("r:id");
        String target = elements(part("xl/_rels/workbook.xml.rels"), "Relationship")
                .filter(relationship -> relationship.getAttribute("Id").equals(id))
                .findFirst()
                .orElseThrow()
                .getAttribute("Target");
        Document xml = part("xl/" + target);
        List<Map<Integer, Cell>> rows = elements(xml, "row")
                .map(row -> {
                    Map<Integer, Cell> cells = new LinkedHashMap<>();
                    elements(row, "c").forEach(cell -> cells.put(column(cell.getAttribute("r")), cell(cell)));
                    return cells;
                })
                .toList();
        List<String> header = rows.get(0).values().stream().map(Cell::text).toList();
        List<Map<String, Cell>> named = new ArrayList<>();
        for (Map<Integer, Cell> row : rows.subList(1, rows.size())) {
            Map<String, Cell> cells = new LinkedHashMap<>();
            row.forEach((index, cell) -> cells.put(header.get(index), cell));
            named.add(cells);
        }
        return new Sheet(xml, header, named);
    }

    private Document part(String name) {
        return Objects.requireNonNull(parts.get(name), name);
    }

    /** The position of a column, from 0, in a reference such as {@code AB12}. */
    private static int column(String reference) {
        int column = 0;
        for (char letter : reference.replaceAll("[0-9]", "").toCharArray()) {
            column = column * 26 + letter - 'A' + 1;
        }
        return column - 1;
    }

    private Cell cell(Element cell) {
        String style = cell.getAttribute("s");
        return new Cell(
                cell.getAttribute("t"),
                unescape(cell.getTextContent()),
                style.isEmpty() ? null : format(Integer.parseInt(style)));
    }

    private String format(int style) {
        Element formats = elements(part("xl/styles.xml"), "cellXfs").findFirst().orElseThrow();
        String id =
                elements(formats, "xf").skip(style).findFirst().orElseThrow().getAttribute("numFmtId");
        return elements(part("xl/styles.xml"), "numFmt")
                .filter(format -> format.getAttribute("numFmtId").equals(id))
                .map(format -> format.getAttribute("formatCode"))
                .findFirst()
                .orElse(null);
    }

    private static String unescape(String text) {
        return Pattern.compile("_x([0-9A-Fa-f]{4})_")
                .matcher(text)
                .replaceAll(
                        match -> Matcher.quoteReplacement(String.valueOf((char) Integer.parseInt(match.group(1), 16))));
    }

    /** The descendants of a document with a name. */
    public static Stream<Element> elements(Document document, String name) {
        return stream(document.getElementsByTagName(name));
    }

    private static Stream<Element> elements(Element parent, String name) {
        return stream(parent.getElementsByTagName(name));
    }

    private static Stream<Element> stream(NodeList nodes) {
        return IntStream.range(0, nodes.getLength()).mapToObj(i -> (Element) nodes.item(i));
    }
}
