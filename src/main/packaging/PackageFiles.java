import dev.plumbline.Main;
import dev.plumbline.app.Version;
import dev.plumbline.cli.CommandTexts;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.zip.Deflater;
import org.apache.commons.compress.compressors.gzip.GzipCompressorOutputStream;
import org.apache.commons.compress.compressors.gzip.GzipParameters;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * Writes the files of the packages that the build derives from the program: the manual pages, the completion scripts,
 * and the changelog of the Debian package. It is not a part of the program: {@code java -cp plumbline.jar
 * PackageFiles.java DIRECTORY TIMESTAMP MAINTAINER}, where TIMESTAMP is {@code project.build.outputTimestamp}. Its
 * output depends on the program and the timestamp only.
 */
final class PackageFiles {
    private static final int WIDTH = 78;

    private final CommandLine root = Main.commandLine();
    private final Path directory;
    private final LocalDate date;

    private final String maintainer;

    private PackageFiles(Path directory, LocalDate date, String maintainer) {
        this.directory = directory;
        this.date = date;
        this.maintainer = maintainer;
    }

    public static void main(String[] arguments) throws IOException {
        // picocli sorts options by their names in lower case, which depends on the locale
        Locale.setDefault(Locale.ROOT);
        new PackageFiles(Path.of(arguments[0]), date(arguments[1]), arguments[2]).write();
    }

    /** Maven accepts an ISO 8601 time and seconds since 1970. */
    private static LocalDate date(String timestamp) {
        Instant time = timestamp.matches("\\d+")
                ? Instant.ofEpochSecond(Long.parseLong(timestamp))
                : DateTimeFormatter.ISO_OFFSET_DATE_TIME.parse(timestamp, Instant::from);
        return LocalDate.ofInstant(time, ZoneOffset.UTC);
    }

    private void write() throws IOException {
        manualPages(root.getCommandSpec());
        for (String shell : List.of("bash", "zsh", "fish")) {
            Path file = Files.createDirectories(directory.resolve("completion")).resolve("plumbline." + shell);
            // a file that is sourced does not have an interpreter
            Files.writeString(file, output("completion", shell).replaceFirst("^#!.*\n", ""));
        }
        String changelog = "plumbline (" + Version.text() + ") unstable; urgency=medium\n\n"
                + "  * The changes are in CHANGELOG.md.gz.\n\n"
                + " -- " + maintainer + "  "
                + DateTimeFormatter.RFC_1123_DATE_TIME
                        .format(date.atStartOfDay(ZoneOffset.UTC))
                        .replaceFirst(", (\\d) ", ", 0$1 ")
                        .replace("GMT", "+0000")
                + "\n";
        compress("doc/changelog.gz", changelog);
        compress("doc/CHANGELOG.md.gz", Files.readString(Path.of("src/docs/CHANGELOG.md")));
    }

    /** Returns what a command prints. */
    private String output(String... command) throws IOException {
        PrintStream stdout = System.out;
        ByteArrayOutputStream captured = new ByteArrayOutputStream();
        try {
            System.setOut(new PrintStream(captured, true, StandardCharsets.UTF_8));
            if (root.execute(command) != 0) {
                throw new IOException(String.join(" ", command) + " failed");
            }
        } finally {
            System.setOut(stdout);
        }
        return captured.toString(StandardCharsets.UTF_8);
    }

    /** With the maximum compression, which the Debian policy requires, and without a time. */
    private void compress(String name, String text) throws IOException {
        Path file = directory.resolve(name);
        Files.createDirectories(file.getParent());
        GzipParameters parameters = new GzipParameters();
        parameters.setCompressionLevel(Deflater.BEST_COMPRESSION);
        try (OutputStream out = new GzipCompressorOutputStream(Files.newOutputStream(file), parameters)) {
            out.write(text.getBytes(StandardCharsets.UTF_8));
        }
    }

    private void manualPages(CommandSpec command) throws IOException {
        compress("man/man1/" + command.qualifiedName("-") + ".1.gz", new ManualPage(command).text());
        for (CommandSpec child : CommandTexts.visibleSubcommands(command)) {
            manualPages(child);
        }
    }

    /** The page of one command, with the macros of man(7). */
    private final class ManualPage {
        private final CommandSpec command;
        private final StringBuilder text = new StringBuilder();

        ManualPage(CommandSpec command) {
            this.command = command;
        }

        String text() {
            String pageName = command.qualifiedName("-");
            List<String> description = lines(command.usageMessage().description());
            macro(".TH " + pageName.toUpperCase(Locale.ROOT) + " 1 " + date + " \"Plumbline " + Version.text()
                    + "\" \"Plumbline manual\"");
            macro(".SH NAME");
            paragraph(escape(pageName) + " \\- " + escape(CommandTexts.firstSentence(description.get(0))));
            macro(".SH SYNOPSIS");
            macro(".B " + escape(command.qualifiedName()));
            paragraph(escape(synopsis()));
            macro(".SH DESCRIPTION");
            paragraphs(description);
            parameters();
            options();
            subcommands();
            exitCodes();
            if (command.parent() == null) {
                environment();
            }
            seeAlso();
            return text.toString();
        }

        /** Without the name of the command. */
        private String synopsis() {
            String synopsis = new Help(command, Help.defaultColorScheme(Help.Ansi.OFF)).synopsis(0);
            return String.join(" ", synopsis.strip().split("\\s+"))
                    .substring(command.qualifiedName().length() + 1);
        }

        private void parameters() {
            if (!command.positionalParameters().isEmpty()) {
                macro(".SH ARGUMENTS");
            }
            for (PositionalParamSpec parameter : command.positionalParameters()) {
                entry("\\fI" + escape(parameter.paramLabel()) + "\\fR", lines(parameter.description()));
            }
        }

        private void options() {
            macro(".SH OPTIONS");
            for (OptionSpec option : command.options()) {
                String names = Arrays.stream(option.names())
                        .map(name -> "\\fB" + escape(name) + "\\fR")
                        .collect(Collectors.joining(", "));
                String value = option.arity().max() == 0 ? "" : "=\\fI" + escape(option.paramLabel()) + "\\fR";
                if (!option.hidden()) {
                    entry(names + value, lines(option.description()));
                }
            }
        }

        private void subcommands() {
            List<CommandSpec> children = CommandTexts.visibleSubcommands(command);
            if (!children.isEmpty()) {
                macro(".SH COMMANDS");
            }
            for (CommandSpec child : children) {
                entry(
                        "\\fB" + escape(child.name()) + "\\fR",
                        lines(child.usageMessage().description()));
            }
        }

        private void exitCodes() {
            List<String> footer = lines(command.usageMessage().footer());
            if (footer.isEmpty()) {
                return;
            }
            macro(".SH EXIT STATUS");
            String heading =
                    String.format(command.usageMessage().footerHeading()).strip();
            if (!heading.equals("Exit codes:")) {
                paragraph(escape(heading));
            }
            macro(".nf");
            footer.forEach(line -> paragraphLine(escape(line)));
            macro(".fi");
        }

        private void environment() {
            macro(".SH ENVIRONMENT");
            entry(
                    "\\fBPLUMBLINE_\\fISECTION\\fB_\\fISETTING\\fR",
                    List.of("A setting, for example PLUMBLINE_HTTP_PORT for http.port. Overrides the file of --conf."));
            entry(
                    "\\fBPLUMBLINE_SERVER\\fR, \\fBPLUMBLINE_KEY\\fR",
                    List.of("The URL of the service and the API key, for commands that use jobs."));
            entry("\\fBPLUMBLINE_AOT_CACHE\\fR", List.of("Directory of the AOT cache, or off to disable it."));
            entry("\\fBJAVA_HOME\\fR, \\fBJAVA_OPTS\\fR", List.of("The JDK, and additional JVM options."));
        }

        private void seeAlso() {
            List<CommandSpec> related = new ArrayList<>();
            if (command.parent() != null) {
                related.add(command.parent());
            }
            related.addAll(CommandTexts.visibleSubcommands(command));
            if (related.isEmpty()) {
                return;
            }
            macro(".SH SEE ALSO");
            for (int i = 0; i < related.size(); i++) {
                macro(".BR " + escape(related.get(i).qualifiedName("-")) + " (1)"
                        + (i + 1 < related.size() ? "," : ""));
            }
        }

        private void entry(String term, List<String> description) {
            macro(".TP");
            macro(term);
            paragraph(escape(String.join(" ", description)));
        }

        private void paragraphs(List<String> lines) {
            for (int i = 0; i < lines.size(); i++) {
                if (i > 0) {
                    macro(".PP");
                }
                paragraph(escape(lines.get(i)));
            }
        }

        /** Wraps escaped text, so that no line is longer than 80 characters. */
        private void paragraph(String escaped) {
            StringBuilder line = new StringBuilder();
            for (String word : escaped.split(" ")) {
                if (line.length() + word.length() >= WIDTH) {
                    paragraphLine(line.toString());
                    line.setLength(0);
                }
                line.append(line.isEmpty() ? "" : " ").append(word);
            }
            paragraphLine(line.toString());
        }

        /** A line of text that starts with a control character is not a macro. */
        private void paragraphLine(String line) {
            macro(line.startsWith(".") || line.startsWith("'") ? "\\&" + line : line);
        }

        private void macro(String line) {
            text.append(line).append('\n');
        }

        private List<String> lines(String[] formats) {
            return Arrays.stream(formats)
                    .flatMap(format -> String.format(format).lines())
                    .toList();
        }

        /** Characters that troff replaces or interprets. */
        private String escape(String plain) {
            return plain.replace("\\", "\\e")
                    .replace("-", "\\-")
                    .replace("'", "\\(aq")
                    .replace("`", "\\(ga")
                    .replace("^", "\\(ha")
                    .replace("~", "\\(ti");
        }
    }
}
