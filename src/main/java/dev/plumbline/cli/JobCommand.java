package dev.plumbline.cli;

import com.google.common.collect.Lists;
import dev.plumbline.cli.report.TerminalText;
import dev.plumbline.config.Config;
import dev.plumbline.config.ConfigException;
import dev.plumbline.input.JobName;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.target.ExceptionMessage;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code plumbline job}: jobs of a running service, through its API. */
@Command(
        name = "job",
        description = "Creates and reads jobs of a service. Requires an API key (PLUMBLINE_KEY or --key-file).",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        footerHeading = "%nExit codes:%n",
        footer = {
            "  0  success",
            "  1  a job was cancelled or failed",
            "  4  invalid usage, or a request failed",
            "130  interrupted with Ctrl-C: jobs continue on the service"
        })
public final class JobCommand {
    private static final int UNFINISHED = 1;

    private static final int MAX_LINES = 500;

    /** {@code --output} of the commands that create jobs, and otherwise do not wait for them. */
    static final class WaitOption {
        @Option(
                names = "--output",
                paramLabel = "FORMAT",
                description = "Wait and print the results as csv, ndjson, json or xlsx.")
        private JobResultJoiner.@Nullable Format output;
    }

    private interface Work {
        int run(ServiceClient client) throws CommandException, IOException, InterruptedException;
    }

    @Command(
            name = "create",
            description = {
                "Creates a job. An input of more than 500 lines is split into several jobs.",
                "Prints the numbers of valid, invalid and duplicate targets on stderr.",
                "Prints the tokens. With --output, waits for the jobs and prints their results in input order."
            },
            mixinStandardHelpOptions = true)
    int create(
            @Mixin ServerOptions server,
            @Parameters(
                            index = "0",
                            paramLabel = "MODULE",
                            completionCandidates = OptionConverters.Modules.class,
                            description = "Module, for example http-status.")
                    String module,
            @Parameters(index = "1..*", arity = "0..*", paramLabel = "TARGET", description = "Targets.") @Nullable
                    List<String> targets,
            @Option(
                            names = {"-i", "--input"},
                            paramLabel = "FILE",
                            description = "File with one target per line, or CSV; - for stdin.")
                    @Nullable
                    String input,
            @Option(
                            names = "--column",
                            paramLabel = "NAME",
                            description =
                                    "Column of a CSV file with the targets: its header or number (default: the column with the most"
                                            + " targets).")
                    @Nullable
                    String column,
            @Option(names = "--sitemap", paramLabel = "URL", description = SitemapInput.DESCRIPTION) @Nullable
                    String sitemap,
            @Option(
                            names = {"-o", "--option"},
                            paramLabel = "NAME=VALUE",
                            description = "Module option. Can be repeated.")
                    @Nullable
                    Map<String, String> options,
            @Option(
                            names = "--name",
                            description =
                                    "Name of the job (default: the title of the module and the number of targets).")
                    @Nullable
                    String name,
            @Option(
                            names = "--policy",
                            paramLabel = "NAME",
                            description = "Policy of the service to apply when the job is read, for example"
                                    + " mozilla-intermediate.")
                    @Nullable
                    String policy,
            @Option(
                            names = "--expect",
                            paramLabel = "EXPRESSION",
                            description = "Condition that each result must meet when the job is read, for example"
                                    + " 'status == 200'. Can be repeated.")
                    @Nullable
                    List<String> expectations,
            @Mixin WaitOption wait,
            @Mixin ConfigOption config) {
        return run(server, client -> {
            JobWorkbook.requireFile(wait.output);
            List<String> arguments = targets == null ? List.of() : targets;
            if (arguments.isEmpty() && input == null && sitemap == null) {
                throw new CommandException(TargetReader.MISSING);
            }
            ModuleDescription description = JobOptions.module(module);
            List<String> listed = sitemap == null ? List.of() : SitemapInput.read(settings(config), sitemap);
            List<String> lines = new JobInput(description).read(arguments, listed, input, column);
            if (lines.isEmpty()) {
                throw new CommandException(TargetReader.empty(input));
            }
            String title = description == null ? module : description.title();
            String jobName = name == null ? JobName.ofTargets(title, lines.size()) : name;
            List<JsonObject> jobs = new ArrayList<>();
            List<List<String>> parts = Lists.partition(lines, MAX_LINES);
            for (List<String> part : parts) {
                JsonObject body = new JsonObject().put("module", module).put("items", new JsonArray(part));
                if (options != null) {
                    body.put("options", JobOptions.of(description, options));
                }
                addDefaultPolicy(body, policy, expectations == null ? new JsonArray() : new JsonArray(expectations));
                String partName = JobName.ofPart(jobName, jobs.size() + 1, parts.size());
                jobs.add(create(client, body.put("name", partName), wait));
            }
            return created(server, client, jobs, wait);
        });
    }

    private static Config settings(ConfigOption config) throws CommandException {
        try {
            return config.load();
        } catch (ConfigException invalid) {
            throw new CommandException("Invalid configuration: " + invalid.getMessage());
        }
    }

    /** Adds the members that earlier versions of the service do not support only if they have a value. */
    private static void addDefaultPolicy(JsonObject body, @Nullable String policy, JsonArray expectations) {
        if (policy != null) {
            body.put("policy", policy);
        }
        if (!expectations.isEmpty()) {
            body.put("expect", expectations);
        }
    }

    private static JsonObject create(ServiceClient client, JsonObject body, WaitOption wait)
            throws CommandException, InterruptedException {
        JsonObject job = client.create(body, UUID.randomUUID().toString());
        (wait.output == null ? System.out : System.err).println(job.getString("token"));
        return job;
    }

    private static int created(ServerOptions server, ServiceClient client, List<JsonObject> jobs, WaitOption wait)
            throws CommandException, IOException, InterruptedException {
        if (wait.output != null) {
            return watch(server, client, jobs, wait.output);
        }
        StandardError.println("Next: plumbline job watch " + server.arguments() + JobPoller.tokens(jobs));
        return 0;
    }

    @Command(
            name = "retry",
            description = {
                "Creates a job from the checks with an error code of a finished job, without invalid and blocked targets.",
                "The job has the same module, options, policy and expectations, and does not use cached results. Prints its"
                        + " token. With --output, waits for it and prints its results."
            },
            mixinStandardHelpOptions = true)
    int retry(
            @Mixin ServerOptions server,
            @Parameters(index = "0", paramLabel = "TOKEN", description = "Token of a finished job.") String token,
            @Mixin WaitOption wait) {
        return run(server, client -> {
            JobWorkbook.requireFile(wait.output);
            JsonObject job = client.job(token, 0);
            server.requireFinal(job);
            List<String> inputs = client.results(token, "ndjson", LineFilterOptions.NONE)
                    .lines()
                    .map(JsonObject::new)
                    .filter(JobCommand::isRetryable)
                    .map(line -> line.getString("input"))
                    .toList();
            if (inputs.isEmpty()) {
                StandardError.println("The job does not have checks with an error code.");
                return 0;
            }
            JsonObject options = job.getJsonObject("options", new JsonObject()).copy();
            JsonObject body = new JsonObject()
                    .put("module", text(job, "module"))
                    .put("items", new JsonArray(inputs))
                    .put("options", options.put(ModuleDescription.FRESH.name(), true))
                    .put("name", JobName.ofRetry(text(job, "name"), inputs.size()));
            JsonObject policy = job.getJsonObject("policy");
            boolean exists = policy != null && !policy.getBoolean("missing", false);
            if (policy != null && !exists) {
                StandardError.println(
                        "The policy '%s' no longer exists for this module. The new job is created without it."
                                .formatted(text(policy, "name")));
            }
            addDefaultPolicy(
                    body, exists ? policy.getString("name") : null, job.getJsonArray("expect", new JsonArray()));
            return created(server, client, List.of(createRetry(client, body, wait)), wait);
        });
    }

    /** Creates a job without the expectations that are no longer valid: they do not concern the checks. */
    private static JsonObject createRetry(ServiceClient client, JsonObject body, WaitOption wait)
            throws CommandException, InterruptedException {
        try {
            return create(client, body, wait);
        } catch (InvalidRequestException rejected) {
            JsonArray expectations = body.getJsonArray("expect", new JsonArray());
            JsonArray valid = new JsonArray();
            for (int i = 0; i < expectations.size(); i++) {
                if (rejected.pointers().contains("/expect/" + i)) {
                    StandardError.println(
                            "The expectation '%s' is no longer valid for this module. The new job is created without it."
                                    .formatted(expectations.getString(i)));
                } else {
                    valid.add(expectations.getValue(i));
                }
            }
            if (valid.size() == expectations.size()) {
                throw rejected;
            }
            return create(client, body.copy().put("expect", valid), wait);
        }
    }

    private static boolean isRetryable(JsonObject line) {
        JsonObject error = line.getJsonObject("error");
        return error != null && !ErrorCode.rejectsTarget(error.getString("code", ""));
    }

    /** The output of {@code job watch}. */
    enum LineFormat {
        NDJSON;

        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Command(
            name = "watch",
            description = {
                "Waits for jobs and shows their progress.",
                "With --output ndjson, prints each line when it finishes, instead of the number of results by verdict."
            },
            mixinStandardHelpOptions = true)
    int watch(
            @Mixin ServerOptions server,
            @Parameters(arity = "1..*", paramLabel = "TOKEN", description = "Tokens of jobs.") List<String> tokens,
            @Option(names = "--output", paramLabel = "FORMAT", description = "ndjson: print lines as they finish.")
                    @Nullable
                    LineFormat output) {
        return run(server, client -> {
            List<JsonObject> jobs = jobs(client, tokens);
            return output == null ? watch(server, client, jobs, null) : follow(server, client, jobs);
        });
    }

    private static int follow(ServerOptions server, ServiceClient client, List<JsonObject> jobs)
            throws CommandException, IOException, InterruptedException {
        ProgressBar progress = ProgressBar.onStderr(true);
        JobOutput output = new JobLineFollower(client, StandardOutput.writer(), jobs.size());
        String option = "--output " + LineFormat.NDJSON + " ";
        return await(
                new JobPoller(jobs, progress, output),
                new JobPoller.NextOptions(server.arguments(), option, option),
                progress);
    }

    @Command(
            name = "download",
            description = "Waits for jobs and prints their results in the order of the tokens. Filters select lines.",
            mixinStandardHelpOptions = true)
    int download(
            @Mixin ServerOptions server,
            @Parameters(arity = "1..*", paramLabel = "TOKEN", description = "Tokens of jobs.") List<String> tokens,
            @Option(
                            names = "--output",
                            paramLabel = "FORMAT",
                            defaultValue = "csv",
                            description = "csv, ndjson, json or xlsx (default: ${DEFAULT-VALUE}).")
                    JobResultJoiner.Format output,
            @Mixin LineFilterOptions filters) {
        return run(server, client -> {
            JobWorkbook.requireFile(output);
            filters.validate();
            List<JsonObject> jobs = new ArrayList<>();
            for (String token : tokens) {
                jobs.add(client.job(token, filters));
            }
            return watch(server, client, jobs, output, filters);
        });
    }

    @Command(name = "cancel", description = "Cancels jobs. Finished results are kept.", mixinStandardHelpOptions = true)
    int cancel(
            @Mixin ServerOptions server,
            @Parameters(arity = "1..*", paramLabel = "TOKEN", description = "Tokens of jobs.") List<String> tokens) {
        return run(server, client -> {
            for (String token : tokens) {
                client.cancel(token);
            }
            return 0;
        });
    }

    @Command(name = "list", description = "Lists jobs, newest first.", mixinStandardHelpOptions = true)
    int list(
            @Mixin ServerOptions server,
            @Option(names = "--limit", defaultValue = "20", description = "1 to 100 (default: ${DEFAULT-VALUE}).")
                    int limit,
            @Option(names = "--json", description = "Print a JSON array.") boolean json) {
        return run(server, client -> {
            JsonArray jobs = client.list(limit);
            System.out.print(json ? jobs.encodePrettily() + "\n" : table(jobs));
            return 0;
        });
    }

    private static String table(JsonArray jobs) {
        TableFormatter table = new TableFormatter("TOKEN", "CREATED", "STATE", "DONE", "MODULE", "NAME");
        for (int i = 0; i < jobs.size(); i++) {
            JsonObject job = jobs.getJsonObject(i);
            JsonObject counts = job.getJsonObject("counts");
            table.row(
                    job.getString("token"),
                    text(job, "created_at"),
                    text(job, "state"),
                    counts.getLong("done") + "/" + counts.getLong("total"),
                    text(job, "module"),
                    text(job, "name"));
        }
        return table.toString();
    }

    private static String text(JsonObject job, String name) {
        Object value = job.getValue(name);
        return value == null ? "" : TerminalText.sanitize(value.toString());
    }

    private static List<JsonObject> jobs(ServiceClient client, List<String> tokens)
            throws CommandException, InterruptedException {
        List<JsonObject> jobs = new ArrayList<>();
        for (String token : tokens) {
            jobs.add(client.job(token, 0));
        }
        return jobs;
    }

    private static int watch(
            ServerOptions server, ServiceClient client, List<JsonObject> jobs, JobResultJoiner.@Nullable Format format)
            throws CommandException, IOException, InterruptedException {
        return watch(server, client, jobs, format, LineFilterOptions.NONE);
    }

    /** Waits for the jobs and writes their results; without a format, the number of results by verdict. */
    private static int watch(
            ServerOptions server,
            ServiceClient client,
            List<JsonObject> jobs,
            JobResultJoiner.@Nullable Format format,
            LineFilterOptions filters)
            throws CommandException, IOException, InterruptedException {
        ProgressBar progress = ProgressBar.onStderr(true);
        JobOutput output = format == null
                ? new JobOutput(client)
                : format == JobResultJoiner.Format.XLSX
                        ? JobWorkbook.of(client, filters, jobs)
                        : new JobResultJoiner(client, filters, format, StandardOutput.writer());
        String download = format == null ? "" : "--output " + format + " " + filters.arguments();
        JobPoller poller = new JobPoller(jobs, progress, output);
        int code = await(poller, new JobPoller.NextOptions(server.arguments(), "", download), progress);
        if (format == null) {
            System.out.println(poller.counts());
        }
        return code;
    }

    private static int await(JobPoller poller, JobPoller.NextOptions next, ProgressBar progress)
            throws CommandException, IOException, InterruptedException {
        try (InterruptHook hook = InterruptHook.register(() -> poller.interruption(next), progress)) {
            poller.await();
        }
        return poller.completed() ? 0 : UNFINISHED;
    }

    private static int run(ServerOptions server, Work work) {
        try (ServiceClient client = server.connect()) {
            return work.run(client);
        } catch (FileSystemException unreadable) {
            return StandardError.fail(CheckCommand.INVALID, TargetReader.unreadable(unreadable));
        } catch (StandardOutput.ClosedException | StandardOutput.FailedException reported) {
            return CheckCommand.INVALID;
        } catch (CommandException | IOException failed) {
            return StandardError.fail(CheckCommand.INVALID, ExceptionMessage.of(failed));
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return CheckCommand.INVALID;
        }
    }
}
