package dev.plumbline.module.web;

import dev.plumbline.check.FieldDescription;
import dev.plumbline.check.FieldType;
import dev.plumbline.check.FindingCode;
import dev.plumbline.check.InputType;
import dev.plumbline.check.Level;
import dev.plumbline.check.ModuleDescription;

/** The words of {@link PageMetadata}. */
final class PageMetadataDescription {
    static final FindingCode NOT_A_PAGE = new FindingCode(
            "not_a_page",
            Level.FAIL,
            null,
            "What the server sent is no web page, so it has no metadata.",
            "Check the address of a page; if this is one, send Content-Type: text/html.",
            "RFC 9110 section 8.3");
    static final FindingCode ERROR_PAGE = new FindingCode(
            "error_page",
            Level.WARN,
            null,
            "What was read is an error page.",
            "Check the address of a page that is there.",
            "RFC 9110 section 15");
    static final FindingCode TITLE_MISSING = new FindingCode(
            "title_missing",
            Level.WARN,
            "title",
            "The page has no title for tabs, bookmarks and search results.",
            "Add a title element to the head.",
            "HTML Living Standard, The title element");
    static final FindingCode TITLE_LONG = new FindingCode(
            "title_long",
            Level.INFO,
            "title_length",
            "The title is longer than search results show.",
            "Say what matters in the first 60 characters.",
            null);
    static final FindingCode SEVERAL_TITLES = new FindingCode(
            "several_titles",
            Level.WARN,
            "title",
            "The page has more than one title, of which the first counts.",
            "Keep one.",
            "HTML Living Standard, The title element");
    static final FindingCode DESCRIPTION_MISSING = new FindingCode(
            "description_missing",
            Level.INFO,
            "description",
            "The page does not describe itself, so search engines choose a part of its" + " text.",
            "Add a meta element with the name description.",
            "HTML Living Standard, Standard metadata names");
    static final FindingCode DESCRIPTION_LONG = new FindingCode(
            "description_long",
            Level.INFO,
            "description",
            "The description is longer than search results show.",
            "Say what matters in the first 160 characters.",
            null);
    static final FindingCode SEVERAL_DESCRIPTIONS = new FindingCode(
            "several_descriptions",
            Level.WARN,
            "description",
            "The page describes itself more than once.",
            "Keep one description.",
            "HTML Living Standard, Standard metadata names");
    static final FindingCode CANONICAL_CONFLICT = new FindingCode(
            "canonical_conflict",
            Level.WARN,
            "canonical",
            "The page names several addresses as its proper one, so search engines may" + " follow none.",
            "Keep one canonical link.",
            "RFC 6596 section 3");
    static final FindingCode CANONICAL_INVALID = new FindingCode(
            "canonical_invalid",
            Level.WARN,
            "canonical",
            "What the page names as its proper address is no web address.",
            "Write a whole URL into the canonical link.",
            "RFC 6596 section 3");
    static final FindingCode CANONICAL_RELATIVE = new FindingCode(
            "canonical_relative",
            Level.INFO,
            "canonical",
            "The canonical link is not a whole URL, so a copy of the page elsewhere names" + " itself.",
            "Write the URL with https and the host.",
            "RFC 6596 section 5");
    static final FindingCode CANONICAL_ELSEWHERE = new FindingCode(
            "canonical_elsewhere",
            Level.INFO,
            "canonical",
            "The page says that its proper address is another one, which is what search" + " engines show.",
            "Nothing needs to be done, if that is meant.",
            "RFC 6596 section 3");
    static final FindingCode NOINDEX = new FindingCode(
            "noindex",
            Level.WARN,
            "robots",
            "The page asks search engines not to show it.",
            "If it is to be found, take noindex out of the robots meta element.",
            "HTML Living Standard, Standard metadata names");
    static final FindingCode LANG_MISSING = new FindingCode(
            "lang_missing",
            Level.WARN,
            "lang",
            "The page does not say in which language it is, so screen readers guess how" + " to speak it.",
            "Add lang to the html element, for example lang=\"en\".",
            "WCAG 2.2, 3.1.1");
    static final FindingCode LANG_INVALID = new FindingCode(
            "lang_invalid",
            Level.WARN,
            "lang",
            "The language of the page is not written as a language tag.",
            "Write a tag such as en or pt-BR.",
            "RFC 5646 section 2.1");
    static final FindingCode CHARSET_MISSING = new FindingCode(
            "charset_missing",
            Level.WARN,
            "charset",
            "Nothing says in which encoding the page is, so browsers guess at its" + " letters.",
            "Add <meta charset=\"utf-8\"> as the first element of the head.",
            "HTML Living Standard, Specifying the document's character encoding");
    static final FindingCode CHARSET_OLD = new FindingCode(
            "charset_not_utf8",
            Level.INFO,
            "charset",
            "The page is in another encoding than UTF-8.",
            "Convert it to UTF-8.",
            "HTML Living Standard, Specifying the document's character encoding");
    static final FindingCode CHARSET_CONFLICT = new FindingCode(
            "charset_conflict",
            Level.WARN,
            "charset",
            "The page and its headers name different encodings; browsers take the" + " headers'.",
            "Name the one that the page is in, in both places.",
            "HTML Living Standard, Determining the character encoding");
    static final FindingCode VIEWPORT_MISSING = new FindingCode(
            "viewport_missing",
            Level.WARN,
            "viewport",
            "The page does not fit itself to the width of phones.",
            "Add <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">.",
            "CSS Viewport Module Level 1, The viewport meta element");
    static final FindingCode VIEWPORT_NO_ZOOM = new FindingCode(
            "viewport_no_zoom",
            Level.WARN,
            "viewport",
            "The page keeps people from enlarging it.",
            "Take user-scalable=no and a maximum-scale below 2 out.",
            "WCAG 2.2, 1.4.4");
    static final FindingCode H1_MISSING = new FindingCode(
            "h1_missing",
            Level.INFO,
            "h1",
            "The page has no main heading.",
            "Add an h1 element that says what the page is about.",
            "WCAG 2.2, 2.4.6");
    static final FindingCode SEVERAL_H1 = new FindingCode(
            "several_h1",
            Level.INFO,
            "h1",
            "The page has more than one main heading.",
            "Keep one h1, and make the others h2.",
            null);
    static final FindingCode OG_INCOMPLETE = new FindingCode(
            "open_graph_incomplete",
            Level.INFO,
            "open_graph",
            "When the page is shared, its card lacks something that the protocol wants.",
            "Add og:title, og:type, og:image and og:url.",
            "Open Graph protocol, Basic Metadata");
    static final FindingCode FAVICON_MISSING = new FindingCode(
            "favicon_missing",
            Level.INFO,
            "favicon",
            "The page names no icon, so browsers ask for /favicon.ico.",
            "Add a link element with the rel icon.",
            "HTML Living Standard, Link type icon");
    static final FindingCode HREFLANG_INVALID = new FindingCode(
            "hreflang_invalid",
            Level.WARN,
            "hreflang",
            "A version in another language is named by something that is no language, or" + " at no address.",
            "Write a tag such as de or pt-BR, or x-default, and a whole URL.",
            "RFC 5646 section 2.1");
    static final FindingCode JSON_LD_INVALID = new FindingCode(
            "json_ld_invalid",
            Level.WARN,
            "json_ld_types",
            "Structured data of the page (JSON-LD) is not valid JSON, so nobody reads it.",
            "Correct it with a JSON checker.",
            "JSON-LD 1.1 section 7");
    static final FindingCode CUT = new FindingCode(
            "page_cut",
            Level.INFO,
            null,
            "The page is larger than 512 KiB; what comes later was not read.",
            "Put what describes the page at its beginning.",
            null);

    static final ModuleDescription DESCRIPTION = ModuleDescription.of("page-metadata", "Page metadata", InputType.URL)
            .summary(
                    "Reads what a page says of itself to search engines, browsers and those who share it: title, description, language, icons, cards.")
            .category("web")
            .example("https://example.com/", "https://example.com/page")
            .connects()
            .fields(
                    FieldDescription.string("title", "Title", "The text of the title element.")
                            .orNull(),
                    FieldDescription.integer(
                            "title_length", "Length of the title", "How many characters the title has."),
                    FieldDescription.string("description", "Description", "What the page says it is about.")
                            .orNull(),
                    FieldDescription.string(
                                    "canonical",
                                    "Canonical address",
                                    "The address that the page names as its proper one.")
                            .orNull(),
                    FieldDescription.string(
                                    "robots",
                                    "Robots",
                                    "What the page asks of search engines in its robots meta element.")
                            .orNull(),
                    FieldDescription.string("lang", "Language", "The language of the page, as its html element says.")
                            .orNull(),
                    FieldDescription.string(
                                    "charset",
                                    "Encoding",
                                    "The character encoding that is named: by the bytes at the beginning, the headers, or the page, in this order.")
                            .orNull(),
                    FieldDescription.string("viewport", "Viewport", "How the page fits itself to small screens.")
                            .orNull(),
                    FieldDescription.array("h1", "Main headings", "The text of each h1 element.", FieldType.STRING),
                    FieldDescription.object(
                            "open_graph",
                            "Open Graph",
                            "What is shown when the page is shared (Open Graph): the content of each og: property, or a list of them."),
                    FieldDescription.object(
                            "twitter",
                            "X card",
                            "What is shown when the page is shared on X: the content of each twitter: name, or a list of them."),
                    FieldDescription.table(
                            "hreflang",
                            "Other languages",
                            "Versions of the page in other languages.",
                            FieldDescription.string("lang", "Language", "The language tag, or x-default."),
                            FieldDescription.string("url", "URL", "Where that version is.")),
                    FieldDescription.string("favicon", "Icon", "The address of the first icon that the page names.")
                            .orNull(),
                    FieldDescription.array(
                            "json_ld_types",
                            "Structured data",
                            "The types of things that the page describes for machines (JSON-LD).",
                            FieldType.STRING))
            .findings(
                    NOT_A_PAGE,
                    ERROR_PAGE,
                    TITLE_MISSING,
                    TITLE_LONG,
                    SEVERAL_TITLES,
                    DESCRIPTION_MISSING,
                    DESCRIPTION_LONG,
                    SEVERAL_DESCRIPTIONS,
                    CANONICAL_CONFLICT,
                    CANONICAL_INVALID,
                    CANONICAL_RELATIVE,
                    CANONICAL_ELSEWHERE,
                    NOINDEX,
                    LANG_MISSING,
                    LANG_INVALID,
                    CHARSET_MISSING,
                    CHARSET_OLD,
                    CHARSET_CONFLICT,
                    VIEWPORT_MISSING,
                    VIEWPORT_NO_ZOOM,
                    H1_MISSING,
                    SEVERAL_H1,
                    OG_INCOMPLETE,
                    FAVICON_MISSING,
                    HREFLANG_INVALID,
                    JSON_LD_INVALID,
                    CUT,
                    RedirectFindings.CODE)
            .build();

    private PageMetadataDescription() {}
}
