package dev.plumbline.cli;

import dev.plumbline.portfolio.PortfolioLine;
import dev.plumbline.target.ExceptionMessage;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The lines of NDJSON files and jobs of one module, one after the other, with indexes that continue from source to
 * source. Not thread-safe.
 */
final class ResultLines implements Closeable {
    /** Reads jobs, and connects to the service only if there is one. */
    interface JobReader {
        JsonObject job(String token) throws CommandException, InterruptedException;

        String ndjson(String token) throws CommandException, InterruptedException;
    }

    private static final String ONE_MODULE = "Use results of one module.";
    private static final String STDIN_NAME = "stdin";
    private static final int GROWTH = 1024;

    private final List<LineFile> sources = new ArrayList<>();
    private final List<JsonObject> jobs = new ArrayList<>();
    private final boolean again;
    private @Nullable String module;
    /** The first line, which was read to know the module. */
    private @Nullable PortfolioLine peeked;

    private int source;
    private int count;
    /** For lines that can be read again: the index of the first line of each source, and the offset of each line. */
    private final List<Integer> firsts = new ArrayList<>();

    private long[] offsets;

    private ResultLines(boolean again, @Nullable String module) {
        this.again = again;
        this.module = module;
        this.offsets = new long[again ? GROWTH : 0];
    }

    /** Splits an argument at its commas, unless it is the name of a file. */
    static List<String> split(String argument) {
        try {
            if (Files.exists(Path.of(argument))) {
                return List.of(argument);
            }
        } catch (InvalidPathException invalid) {
            return List.of(argument);
        }
        List<String> names = Arrays.stream(argument.split(","))
                .filter(name -> !name.isEmpty())
                .toList();
        return names.isEmpty() ? List.of(argument) : names;
    }

    /**
     * Opens files, {@code -} for stdin, and jobs.
     *
     * @param module the module if the lines do not contain it; null if it is not known
     * @param again whether {@link #line} is used
     * @throws CommandException if a job does not exist, or if the sources are not results of one module
     */
    static ResultLines open(List<String> names, JobReader client, @Nullable String module, boolean again)
            throws CommandException, IOException, InterruptedException {
        ResultLines lines = new ResultLines(again, module);
        try {
            for (String name : names) {
                lines.open(name, client);
            }
            lines.peeked = lines.next();
            return lines;
        } catch (CommandException | IOException | InterruptedException | RuntimeException failed) {
            lines.close();
            throw failed;
        }
    }

    private void open(String name, JobReader client) throws CommandException, IOException, InterruptedException {
        if (ServiceClient.isToken(name)) {
            JsonObject job = client.job(name);
            require(job.getString("module"), "Job " + name);
            jobs.add(job);
            InputStream results = new ByteArrayInputStream(client.ndjson(name).getBytes(StandardCharsets.UTF_8));
            sources.add(LineFile.of("Job " + name, results, again));
        } else if (name.equals(TargetReader.STDIN)) {
            sources.add(LineFile.of(STDIN_NAME, System.in, again));
        } else {
            sources.add(LineFile.open(path(name), again));
        }
    }

    private static Path path(String name) throws CommandException {
        try {
            return Path.of(name);
        } catch (InvalidPathException invalid) {
            throw new CommandException("'" + name + "' is not a valid file name.");
        }
    }

    /** The module of the results; null if the lines do not contain it, or if there are no lines. */
    @Nullable
    String module() {
        return module;
    }

    /** The jobs among the sources. */
    List<JsonObject> jobs() {
        return List.copyOf(jobs);
    }

    /** Whether all sources are jobs. */
    boolean onlyJobs() {
        return jobs.size() == sources.size();
    }

    /** Returns the next line; null at the end. */
    @Nullable
    PortfolioLine next() throws CommandException, IOException {
        PortfolioLine line = peeked;
        peeked = null;
        while (line == null && source < sources.size()) {
            LineFile file = sources.get(source);
            if (firsts.size() == source) {
                firsts.add(count);
            }
            byte[] json = file.next();
            if (json == null) {
                source++;
            } else {
                line = read(file, json);
            }
        }
        return line;
    }

    private PortfolioLine read(LineFile file, byte[] json) throws CommandException {
        PortfolioLine line;
        try {
            line = PortfolioLine.parse(json);
        } catch (IllegalArgumentException invalid) {
            throw file.invalid(ExceptionMessage.of(invalid), LineFile.NDJSON);
        }
        String ofLine = moduleOf(line);
        if (ofLine != null) {
            if (module != null && !module.equals(ofLine)) {
                throw file.invalid("the module is '%s', not '%s'".formatted(ofLine, module), ONE_MODULE);
            }
            module = ofLine;
        }
        if (again) {
            if (count == offsets.length) {
                offsets = Arrays.copyOf(offsets, Math.multiplyExact(count, 2));
            }
            offsets[count] = file.offset();
        }
        return line.at(count++);
    }

    private static @Nullable String moduleOf(PortfolioLine line) {
        String rules = line.rules();
        return line.module() != null || rules == null ? line.module() : rules.replaceFirst("/.*", "");
    }

    private void require(String moduleOfJob, String name) throws CommandException {
        if (module != null && !module.equals(moduleOfJob)) {
            throw new CommandException(
                    "%s: the module is '%s', not '%s'. %s".formatted(name, moduleOfJob, module, ONE_MODULE));
        }
        module = moduleOfJob;
    }

    /** Reads a line again. */
    PortfolioLine line(int index) throws CommandException, IOException {
        int of = firsts.size() - 1;
        while (firsts.get(of) > index) {
            of--;
        }
        try {
            return PortfolioLine.parse(sources.get(of).read(offsets[index])).at(index);
        } catch (IllegalArgumentException invalid) {
            throw new CommandException("A file changed while it was read. Use a file that is complete.");
        }
    }

    @Override
    public void close() throws IOException {
        for (LineFile file : sources) {
            file.close();
        }
    }
}
