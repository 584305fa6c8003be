package dev.plumbline.cli;

import static dev.plumbline.cli.DatabaseCommandRunner.await;

import dev.plumbline.postgres.Database;
import dev.plumbline.share.SharedResult;
import dev.plumbline.share.SharedResultStore;
import dev.plumbline.share.SharedResultStore.OwnedResult;
import dev.plumbline.share.SharedResultStore.Position;
import dev.plumbline.target.PrintableText;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code plumbline results}: lists and deletes shared results of all accounts, with or without a running service. */
@Command(
        name = "results",
        description = "Manages shared results.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        footerHeading = "%nExit codes:%n",
        footer = {"  0  success", "  1  error, see stderr", "  4  invalid usage"})
public final class ResultsCommand {
    private static final int MAX_NAME = 60;

    @Command(
            name = "list",
            description = "Lists the shared results of all accounts, newest first.",
            mixinStandardHelpOptions = true)
    int list(
            @Mixin ConfigOption config,
            @Option(
                            names = "--limit",
                            paramLabel = "NUMBER",
                            defaultValue = "1000",
                            description = "Maximum number of results (default: ${DEFAULT-VALUE}).",
                            converter = OptionConverters.ListLimit.class)
                    int limit,
            @Option(names = "--json", description = "Print a JSON array.") boolean json) {
        return DatabaseCommandRunner.runWithDatabase(config, false, (vertx, database) -> {
            List<OwnedResult> results = await(SharedResultStore.listAll(database, Position.START, limit));
            System.out.print(json ? json(results) : text(results));
        });
    }

    private static String json(List<OwnedResult> results) {
        JsonArray array = new JsonArray();
        for (OwnedResult owned : results) {
            SharedResult result = owned.result();
            array.add(new JsonObject()
                    .put("id", result.id())
                    .put("kind", result.kind())
                    .put("module", result.module())
                    .put("name", result.name())
                    .put("email", owned.email())
                    .put("bytes", result.bytes())
                    .put("created_at", result.createdAt().toString())
                    .put("expires_at", result.expiresAt().toString()));
        }
        return array.encodePrettily() + "\n";
    }

    private static String text(List<OwnedResult> results) {
        TableFormatter columns =
                new TableFormatter("ID", "KIND", "MODULE", "NAME OR TARGET", "ACCOUNT", "BYTES", "CREATED", "EXPIRES");
        for (OwnedResult owned : results) {
            SharedResult result = owned.result();
            columns.row(
                    result.id(),
                    result.kind(),
                    result.module(),
                    PrintableText.shorten(result.name(), MAX_NAME),
                    owned.email() == null ? "-" : owned.email(),
                    Long.toString(result.bytes()),
                    TableFormatter.time(result.createdAt()),
                    TableFormatter.time(result.expiresAt()));
        }
        return columns.toString();
    }

    @Command(
            name = "delete",
            description = "Deletes shared results. They disappear from caches within 10 minutes.",
            mixinStandardHelpOptions = true)
    int delete(
            @Mixin ConfigOption config,
            @Parameters(arity = "1..*", paramLabel = "ID", description = "ID or URL of a shared result.")
                    List<String> ids) {
        return DatabaseCommandRunner.runWithDatabase(config, false, (vertx, database) -> {
            List<String> missing = new ArrayList<>();
            for (String id : ids) {
                if (!delete(database, id)) {
                    missing.add(PrintableText.shorten(id, MAX_NAME));
                }
            }
            if (!missing.isEmpty()) {
                throw new CommandException("No shared result has the ID " + String.join(", ", missing)
                        + ". List the IDs with 'plumbline results list'.");
            }
        });
    }

    private static boolean delete(Database database, String id) throws CommandException {
        return await(SharedResultStore.delete(database, id.substring(id.lastIndexOf('/') + 1)));
    }
}
