package dev.plumbline.cli;

import com.google.common.math.LongMath;
import dev.plumbline.policy.PolicyEvaluation;
import dev.plumbline.portfolio.PortfolioLine;
import dev.plumbline.result.ResultJson;
import dev.plumbline.target.ExceptionMessage;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The lines of NDJSON files and jobs of one module. One source is read after the other, so that the memory and the
 * number of open files do not depend on their number. Not thread-safe.
 *
 * <p>The index of a line is that in its job or file, or its position in a file whose lines do not have an index. The
 * indexes continue from source to source, as in the output of {@code job download}.
 */
final class ResultLines implements Closeable {
    /** Reads jobs, and connects to the service only if there is one. */
    interface JobReader {
        JsonObject job(String token) throws CommandException, InterruptedException;

        /** @param stored whether the policy and the expectations of the job are not applied */
        byte[] ndjson(String token, boolean stored) throws CommandException, InterruptedException;
    }

    /** The module of all results of a command, once it is known. */
    static final class CommonModule {
        private final PolicyOptions policy;
        private final boolean stored;
        private @Nullable String name;

        /** Null before the first result. */
        private @Nullable PolicyEvaluation evaluation;

        /**
         * @param given null if the results determine it
         * @param policy is applied to the results, instead of those of the jobs
         * @param compared whether results of jobs are compared, which can have different policies
         */
        CommonModule(@Nullable String given, PolicyOptions policy, boolean compared) {
            name = given;
            this.policy = policy;
            this.stored = compared || !policy.isEmpty();
        }

        @Nullable
        String name() {
            return name;
        }

        /**
         * Applies the policy and the expectations to a line. Without them, a line that was evaluated before is used as
         * it is.
         *
         * @param line the parsed line
         * @throws CommandException if they are not valid for the module
         * @throws IllegalArgumentException if the line is not a complete result
         */
        private PortfolioLine evaluate(PortfolioLine line, byte[] json, long position) throws CommandException {
            if (!line.hasResult() || policy.isEmpty()) {
                return line;
            }
            PolicyEvaluation applied = evaluation;
            if (applied == null) {
                applied = Objects.requireNonNull(
                        policy.evaluation(ResultOptions.ResultModule.load(name).description()));
                evaluation = applied;
            }
            return PortfolioLine.parse(applied.apply(json), position);
        }

        /** Returns why a result cannot have this module; null if it can. */
        private @Nullable String accept(String other) {
            if (name == null) {
                name = other;
            }
            return name.equals(other) ? null : "the module is '%s', not '%s'".formatted(other, name);
        }
    }

    /** @param firstIndex the index that follows those of the earlier sources */
    record Source(String name, long firstIndex) {}

    private static final String ONE_MODULE = "Use results of the same module.";
    private static final int GROWTH = 1024;

    private final List<String> names;
    private final JobReader client;
    private final CommonModule module;
    /** For each source, the job; null for a file. */
    private final List<@Nullable JsonObject> jobs = new ArrayList<>();

    /** The sources that were begun. */
    private final List<Source> begun = new ArrayList<>();

    /** The source that is read; null between two sources. */
    private @Nullable LineFile file;

    /** The first line, which was read to know the module. */
    private @Nullable PortfolioLine peeked;

    private int count;
    /** The number of lines of the earlier sources. */
    private int firstCount;

    /** The index after the greatest one so far. */
    private long endIndex;

    /** The positions of the lines, to read them again; null if they are read once. */
    private final @Nullable Positions positions;

    /** Where the lines that were read are. Not thread-safe. */
    private static final class Positions implements Closeable {
        /** The number of the first line of each source. */
        private final List<Integer> firsts = new ArrayList<>();

        /** The file of each source; null if its lines are in the spool file. */
        private final List<@Nullable Path> files = new ArrayList<>();

        private long[] offsets = new long[GROWTH];
        private @Nullable SpoolFile spool;

        /** The file of the line that was read again last, and its source. */
        private @Nullable FileChannel open;

        private int openSource = -1;

        SpoolFile spool() throws IOException {
            SpoolFile file = spool;
            if (file == null) {
                file = new SpoolFile();
                spool = file;
            }
            return file;
        }

        void begin(int line, @Nullable Path file) {
            firsts.add(line);
            files.add(file);
        }

        void add(int line, long offset) {
            if (line == offsets.length) {
                offsets = Arrays.copyOf(offsets, Math.multiplyExact(line, 2));
            }
            offsets[line] = offset;
        }

        /** Returns the last source whose first line is not after a line. */
        int source(int line) {
            int low = 0;
            int high = firsts.size();
            while (low < high) {
                int middle = (low + high) / 2;
                if (firsts.get(middle) <= line) {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            return low - 1;
        }

        byte[] read(int line, int source) throws IOException {
            Path path = files.get(source);
            if (path == null) {
                return LineFile.read(spool().channel(), offsets[line]);
            }
            FileChannel channel = open;
            if (channel == null || openSource != source) {
                closeFile();
                channel = FileChannel.open(path);
                open = channel;
                openSource = source;
            }
            return LineFile.read(channel, offsets[line]);
        }

        private void closeFile() throws IOException {
            if (open != null) {
                open.close();
            }
        }

        @Override
        public void close() throws IOException {
            closeFile();
            if (spool != null) {
                spool.close();
            }
        }
    }

    private ResultLines(List<String> names, JobReader client, CommonModule module, boolean again) {
        this.names = List.copyOf(names);
        this.client = client;
        this.module = module;
        this.positions = again ? new Positions() : null;
    }

    /** Splits an argument at its commas, unless it is the name of a file. */
    static List<String> split(String argument) {
        try {
            return !argument.isEmpty() && Files.exists(Path.of(argument))
                    ? List.of(argument)
                    : List.of(argument.split(",", -1));
        } catch (InvalidPathException invalid) {
            return List.of(argument);
        }
    }

    /**
     * Opens files, {@code -} for stdin, and jobs.
     *
     * @param module of all results
     * @param again whether {@link #line} is used
     * @throws CommandException if a job or a file does not exist, or if the sources are not results of the module
     */
    static ResultLines open(List<String> names, JobReader client, CommonModule module, boolean again)
            throws CommandException, IOException, InterruptedException {
        if (Collections.frequency(names, TargetReader.STDIN) > 1) {
            throw new CommandException("stdin is given more than once. Use a file for one of them.");
        }
        ResultLines lines = new ResultLines(names, client, module, again);
        try {
            for (String name : names) {
                lines.jobs.add(lines.find(name));
            }
            lines.peeked = lines.next();
            return lines;
        } catch (CommandException | IOException | InterruptedException | RuntimeException failed) {
            lines.close();
            throw failed;
        }
    }

    /** Returns the job of a source; null if it is a file, which exists. */
    private @Nullable JsonObject find(String name) throws CommandException, IOException, InterruptedException {
        if (ServiceClient.isToken(name)) {
            JsonObject job = client.job(name);
            String problem = module.accept(job.getString("module", ""));
            if (problem != null) {
                throw new CommandException("Job %s: %s. %s".formatted(name, problem, ONE_MODULE));
            }
            return job;
        }
        if (!name.equals(TargetReader.STDIN)) {
            Path path = path(name);
            if (Files.notExists(path)) {
                throw new NoSuchFileException(name);
            }
            TargetReader.requireFile(path);
        }
        return null;
    }

    private static Path path(String name) throws CommandException {
        if (name.isEmpty()) {
            throw new CommandException("The name of a file is empty. " + ResultOptions.CHECK_NAME);
        }
        try {
            return Path.of(name);
        } catch (InvalidPathException invalid) {
            throw new CommandException("'" + name + "' is not a valid file name.");
        }
    }

    /** Returns the file of a source; null if it is a job or stdin. */
    private @Nullable Path file(int source) throws CommandException {
        String name = names.get(source);
        return jobs.get(source) == null && !name.equals(TargetReader.STDIN) ? path(name) : null;
    }

    private LineFile begin() throws CommandException, IOException, InterruptedException {
        int source = begun.size();
        Path path = file(source);
        Path readAgain = path != null && Files.isRegularFile(path) ? path : null;
        LineFile opened =
                path == null || (positions != null && readAgain == null) ? stream(source, path) : LineFile.open(path);
        begun.add(new Source(names.get(source), endIndex));
        firstCount = count;
        if (positions != null) {
            positions.begin(count, readAgain);
        }
        file = opened;
        return opened;
    }

    /** Opens a job, stdin, or a file that can be read only once, such as a pipe. */
    private LineFile stream(int source, @Nullable Path path)
            throws CommandException, IOException, InterruptedException {
        String name = names.get(source);
        if (path != null) {
            try (InputStream in = TargetReader.open(path)) {
                return stream(LineFile.name(path), in);
            }
        }
        JsonObject job = jobs.get(source);
        return job == null
                ? stream("stdin", System.in)
                : stream(
                        "Job " + name,
                        new ByteArrayInputStream(client.ndjson(name, module.stored && isEvaluated(job))));
    }

    private static boolean isEvaluated(JsonObject job) {
        return job.getValue("policy") != null
                || (job.getValue("expect") instanceof JsonArray expectations && !expectations.isEmpty());
    }

    private LineFile stream(String name, InputStream in) throws IOException {
        return positions == null
                ? new LineFile(name, Channels.newChannel(in), 0)
                : positions.spool().append(name, in);
    }

    /** The jobs among the sources. */
    List<JsonObject> jobs() {
        List<JsonObject> all = new ArrayList<>();
        for (JsonObject job : jobs) {
            if (job != null) {
                all.add(job);
            }
        }
        return all;
    }

    /** Whether all sources are jobs. */
    boolean onlyJobs() {
        return jobs().size() == names.size();
    }

    /** Whether there are no lines. Only known before the first one is read. */
    boolean isEmpty() {
        return count == 0;
    }

    /** The sources whose lines have been read. */
    List<Source> sources() {
        return List.copyOf(begun);
    }

    /** Returns the next line; null at the end. */
    @Nullable
    PortfolioLine next() throws CommandException, IOException, InterruptedException {
        PortfolioLine line = peeked;
        peeked = null;
        while (line == null && (file != null || begun.size() < names.size())) {
            LineFile from = file == null ? begin() : file;
            byte[] json = from.next();
            if (json == null) {
                end(from);
            } else {
                line = read(from, json);
            }
        }
        return line;
    }

    private void end(LineFile ended) throws IOException {
        JsonObject job = jobs.get(begun.size() - 1);
        if (job != null) {
            endIndex = Math.max(endIndex, firstIndex() + JobPoller.total(job));
        }
        ended.close();
        file = null;
    }

    private long firstIndex() {
        return begun.get(begun.size() - 1).firstIndex();
    }

    private PortfolioLine read(LineFile from, byte[] json) throws CommandException {
        PortfolioLine line;
        try {
            line = PortfolioLine.parse(json, count - firstCount);
        } catch (IllegalArgumentException invalid) {
            throw from.invalid(ExceptionMessage.of(invalid), LineFile.NDJSON);
        }
        String ofLine = moduleOf(line);
        String problem = ofLine == null ? null : module.accept(ofLine);
        if (problem != null) {
            throw from.invalid(problem, ONE_MODULE);
        }
        if (positions != null) {
            positions.add(count, from.offset());
        }
        try {
            line = module.evaluate(line, json, count - firstCount);
        } catch (ResultJson.MemberExistsException evaluated) {
            throw from.invalid(
                    "the result was already evaluated with a policy or expectations",
                    "Omit --policy and --expect, or download the stored results with: job download --policy '' --output ndjson");
        } catch (IllegalArgumentException incomplete) {
            throw from.invalid(ExceptionMessage.of(incomplete), LineFile.NDJSON);
        }
        count++;
        PortfolioLine indexed = at(line, firstIndex());
        endIndex = Math.max(endIndex, LongMath.saturatedAdd(indexed.index(), 1));
        return indexed;
    }

    private static PortfolioLine at(PortfolioLine line, long firstIndex) {
        return line.at(LongMath.saturatedAdd(firstIndex, line.index()));
    }

    private static @Nullable String moduleOf(PortfolioLine line) {
        String rules = line.rules();
        return line.module() != null || rules == null ? line.module() : rules.replaceFirst("/.*", "");
    }

    /**
     * Reads a line again.
     *
     * @param number of the line, from 0
     */
    PortfolioLine line(int number) throws CommandException, IOException {
        if (positions == null) {
            throw new IllegalStateException("the lines were opened to be read once");
        }
        int source = positions.source(number);
        try {
            int position = number - positions.firsts.get(source);
            byte[] json = positions.read(number, source);
            return at(
                    module.evaluate(PortfolioLine.parse(json, position), json, position),
                    begun.get(source).firstIndex());
        } catch (IllegalArgumentException invalid) {
            throw new CommandException("A file changed while it was read. Use a file that is complete.");
        }
    }

    @Override
    public void close() throws IOException {
        if (file != null) {
            file.close();
        }
        if (positions != null) {
            positions.close();
        }
    }
}
