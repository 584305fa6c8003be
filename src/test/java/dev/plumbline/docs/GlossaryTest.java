package dev.plumbline.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Texts that a person reads do not contain the phrases that src/docs/glossary.md rejects. */
class GlossaryTest {
    private static final Path GLOSSARY = Path.of("src/docs/glossary.md");
    private static final Pattern SPACE = Pattern.compile("\\s+");
    private static final Pattern CODE = Pattern.compile("`([^`]+)`");

    /**
     * @param rejected phrase to its replacement
     * @param allowed phrases that are not searched
     */
    private record Glossary(Map<String, String> rejected, List<Exemption> allowed) {
        /** @param type the simple name of the only class to which it applies; empty: all texts */
        private record Exemption(String phrase, String type) {
            boolean appliesTo(String file) {
                return type.isEmpty() || file.equals(type + ".java") || file.endsWith("/" + type + ".java");
            }
        }

        /** Reads every table: the columns "not" and "allowed" are read, the first other one is the advice. */
        static Glossary read() throws IOException {
            Map<String, String> rejected = new LinkedHashMap<>();
            List<Exemption> allowed = new ArrayList<>();
            List<String> header = List.of();
            for (String line : Files.readAllLines(GLOSSARY)) {
                if (!line.startsWith("|")) {
                    header = List.of();
                    continue;
                }
                List<String> cells = Arrays.stream(line.substring(1).split("\\|", -1))
                        .map(String::strip)
                        .toList();
                if (header.isEmpty()) {
                    header = cells;
                } else if (header.contains("not")) {
                    String advice = cells.get(header.indexOf("not") == 0 ? 1 : 0);
                    for (String phrase : phrases(cells.get(header.indexOf("not")))) {
                        assertThat(rejected.put(phrase, advice))
                                .as("listed twice: %s", phrase)
                                .isNull();
                    }
                } else if (header.get(0).equals("allowed")) {
                    String type = cells.get(1).replace("`", "");
                    phrases(cells.get(0)).forEach(phrase -> allowed.add(new Exemption(phrase, type)));
                }
            }
            return new Glossary(rejected, allowed);
        }

        private static List<String> phrases(String cell) {
            return CODE.matcher(cell).results().map(found -> found.group(1)).toList();
        }

        /** Rejected phrases in a text, as {@code file:line: phrase}. */
        List<String> search(String name, String source) {
            ReadableText text = ReadableText.of(name, source);
            String prose = text.prose();
            for (Exemption exemption : allowed) {
                if (exemption.appliesTo(name) && flat(prose).contains(flat(exemption.phrase()))) {
                    prose = pattern(exemption.phrase()).matcher(prose).replaceAll(GlossaryTest::barriers);
                }
            }
            List<String> hits = new ArrayList<>();
            String flatProse = flat(prose);
            String flatCode = flat(text.code());
            for (Map.Entry<String, String> entry : rejected.entrySet()) {
                String phrase = entry.getKey();
                boolean inCode = phrase.contains(".") || phrase.contains("_");
                // a plain search is a hundred times faster than the pattern
                if (!(inCode ? flatCode : flatProse).contains(flat(phrase))) {
                    continue;
                }
                Matcher found = pattern(phrase).matcher(inCode ? text.code() : prose);
                while (found.find()) {
                    long line = 1
                            + source.substring(0, found.start())
                                    .chars()
                                    .filter(c -> c == '\n')
                                    .count();
                    hits.add("%s:%d: `%s`, write: %s".formatted(name, line, phrase, entry.getValue()));
                }
            }
            return hits;
        }

        private static String flat(String text) {
            return SPACE.matcher(text).replaceAll(" ").toLowerCase(Locale.ROOT);
        }

        private static Pattern pattern(String phrase) {
            String words = Arrays.stream(phrase.split(" "))
                    .map(Pattern::quote)
                    .reduce((a, b) -> a + "\\s+" + b)
                    .get();
            return Pattern.compile("(?<![\\w-])" + words + "(?![\\w-])", Pattern.CASE_INSENSITIVE);
        }
    }

    private static String barriers(MatchResult found) {
        return found.group().replaceAll("[^\\n]", String.valueOf(ReadableText.BARRIER));
    }

    /** README, documents, comments of settings and scripts, pages, sheets, the API and messages. */
    private static List<Path> files() throws IOException {
        List<Path> files = new ArrayList<>();
        for (String root : List.of("README.md", "Dockerfile", ".ci", "conf", "src/docs", "src/main")) {
            try (Stream<Path> below = Files.walk(Path.of(root))) {
                below.filter(Files::isRegularFile)
                        .filter(file ->
                                !file.equals(GLOSSARY) && !file.toString().endsWith(".png"))
                        .filter(file -> !file.startsWith("src/main")
                                || file.toString().matches(".*(?:openapi\\.json|\\.(?:java|jte|yaml|js))"))
                        .sorted()
                        .forEach(files::add);
            }
        }
        return files;
    }

    @Test
    void noTextContainsARejectedPhrase() throws IOException {
        Glossary glossary = Glossary.read();
        List<String> hits = new ArrayList<>();
        for (Path file : files()) {
            hits.addAll(glossary.search(file.toString(), Files.readString(file)));
        }
        assertThat(String.join("\n", hits))
                .as("%d rejected phrases", hits.size())
                .isEmpty();
    }

    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource(
            delimiterString = " => ",
            quoteCharacter = '^',
            value = {
                "A.java => String a = \"The body is \" + \"no JSON.\"; => A.java:1",
                "A.java => // The body is no JSON. => none",
                "A.java => f(\"answer\", \"The response\"); => none",
                "A.java => f(\"is \" + x + \"no JSON\"); => none",
                "A.java => f(\"The policy is `none`\"); => none",
                "A.java => char c = '\"'; // is no => none",
                "a.json => {\"description\": \"It is told once.\"} => a.json:1",
                "a.json => {\"answer\": \"answer\"} => none",
                "a.md => It is a name\\nserver. => a.md:1",
                "WhoisField.java => f(\"a name server\"); => none",
                "OtherText.java => f(\"a name server\"); => OtherText.java:1",
                "a.md => It is no longer `http.port`. => none",
                "a.md => Set `http.drain` here. => a.md:1",
                "a.md => Set `http.max_concurrent_requests`. => none",
                "a.md => First line\\n\\nThe answer => a.md:3",
                "a.yaml => answer: value => none",
                "a.yaml => title: The answer => a.yaml:1",
                "a.yaml => a: 1\\n# The setting is\\n# told => a.yaml:3",
                "a.yaml => fields: {answer: x, answers: [answer]} => none",
                "a.jte => <p class=\"answer\" title=\"The answer\">${answer}</p> => a.jte:1",
                "a.jte => @if(answer > 1)<b>Result</b>@endif => none",
                "a.jte => <p>${ok ? \"It is told\" : \"\"}</p> => a.jte:1",
                "a.jte => @template.f(a = g(\"x\"), b = @`<p>The answer</p>`) => a.jte:1",
                "a.jte => @template.f(answer = answer) => none",
                "run => echo answer # the answer => run:1",
                "run => echo the answer => none"
            })
    void findsPhrasesInTextsOnly(String name, String source, String expected) throws IOException {
        List<String> hits = Glossary.read().search(name, source.replace("\\n", "\n"));
        assertThat(hits.isEmpty() ? "none" : hits.get(0)).startsWith(expected);
    }
}
