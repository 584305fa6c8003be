package dev.plumbline.cli;

import static dev.plumbline.cli.DatabaseCommandRunner.await;

import dev.plumbline.account.Account;
import dev.plumbline.account.AccountAdministration;
import dev.plumbline.account.ApiKey;
import dev.plumbline.account.ApiKeyCreation;
import dev.plumbline.account.ApiKeyRequest;
import dev.plumbline.account.ApiKeySecret;
import dev.plumbline.account.Scope;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code plumbline key}: manages API keys, with or without a running service. */
@Command(
        name = "key",
        description = "Manages API keys.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        footerHeading = "%nExit codes:%n",
        footer = {"  0  success", "  1  error, see stderr", "  4  invalid usage"})
public final class KeyCommand {
    @Command(
            name = "create",
            description = "Creates an API key and prints it. The key cannot be shown again.",
            mixinStandardHelpOptions = true)
    int create(
            @Mixin ConfigOption config,
            @Mixin EmailOption email,
            @Option(
                            names = "--name",
                            defaultValue = "command line",
                            description = "Name of the key (default: ${DEFAULT-VALUE}).",
                            converter = OptionConverters.KeyName.class)
                    String name,
            @Option(
                            names = "--scopes",
                            split = ",",
                            defaultValue = "jobs:read,jobs:write,probe",
                            completionCandidates = OptionConverters.Scopes.class,
                            description = "Scopes: ${COMPLETION-CANDIDATES} (default: ${DEFAULT-VALUE}).")
                    Set<Scope> scopes,
            @Option(
                            names = "--expires",
                            paramLabel = "DURATION",
                            description = "Lifetime of the key, for example 90d or 12h (default: unlimited).")
                    @Nullable
                    Duration lifetime) {
        return DatabaseCommandRunner.run(config, false, accounts -> {
            Account account = account(accounts, email);
            Instant expiry = lifetime == null ? null : Instant.now().plus(lifetime);
            ApiKeyCreation creation = await(accounts.createKey(account.id(), new ApiKeyRequest(name, scopes, expiry)));
            if (creation instanceof ApiKeyCreation.Created created) {
                System.out.println(created.secret());
            } else if (creation instanceof ApiKeyCreation.TooMany) {
                throw new CommandException("The account has "
                        + AccountAdministration.MAX_KEYS
                        + " active keys, which is the maximum. Revoke a key first.");
            } else {
                throw email.notFound();
            }
        });
    }

    @Command(
            name = "list",
            description = "Lists the API keys of an account, active keys first, without secrets.",
            mixinStandardHelpOptions = true)
    int list(
            @Mixin ConfigOption config,
            @Mixin EmailOption email,
            @Option(names = "--json", description = "Print a JSON array.") boolean json) {
        return DatabaseCommandRunner.run(config, false, accounts -> {
            List<ApiKey> keys = await(accounts.keys(account(accounts, email).id()));
            System.out.print(json ? json(keys) : text(keys));
        });
    }

    private static String json(List<ApiKey> keys) {
        JsonArray array = new JsonArray();
        for (ApiKey key : keys) {
            array.add(new JsonObject()
                    .put("id", key.id())
                    .put("prefix", key.prefix())
                    .put("name", key.name())
                    .put("scopes", new JsonArray(scopes(key)))
                    .put("created_at", key.createdAt().toString())
                    .put("last_used_at", text(key.lastUsedAt()))
                    .put("expires_at", text(key.expiresAt()))
                    .put("revoked_at", text(key.revokedAt())));
        }
        return array.encodePrettily() + "\n";
    }

    private static @Nullable String text(@Nullable Instant time) {
        return time == null ? null : time.toString();
    }

    private static List<String> scopes(ApiKey key) {
        return key.scopes().stream().map(Scope::id).sorted().toList();
    }

    private static String text(List<ApiKey> keys) {
        TableFormatter columns =
                new TableFormatter("ID", "PREFIX", "NAME", "SCOPES", "CREATED", "LAST USED", "EXPIRES", "REVOKED");
        for (ApiKey key : keys) {
            columns.row(
                    Long.toString(key.id()),
                    key.prefix(),
                    key.name(),
                    String.join(",", scopes(key)),
                    TableFormatter.time(key.createdAt()),
                    TableFormatter.time(key.lastUsedAt()),
                    TableFormatter.time(key.expiresAt()),
                    TableFormatter.time(key.revokedAt()));
        }
        return columns.toString();
    }

    @Command(
            name = "revoke",
            description = "Revokes an API key. Effective on all nodes within a second.",
            mixinStandardHelpOptions = true)
    int revoke(
            @Mixin ConfigOption config,
            @Parameters(index = "0", paramLabel = "KEY", description = "ID, prefix, or full key.") String key) {
        return DatabaseCommandRunner.run(config, false, accounts -> {
            switch (await(accounts.revokeKey(key))) {
                case REVOKED -> {}
                case NO_SUCH_KEY ->
                    throw new CommandException("No key matches. List the keys with 'plumbline key list'.");
                case AMBIGUOUS ->
                    throw new CommandException(
                            "Multiple keys have this prefix. Use the ID shown by 'plumbline key list'.");
            }
        });
    }

    @Command(
            name = "generate",
            description = {
                "Generates an API key for bootstrap.api_key and prints it.",
                "The key is not stored. It becomes valid at the first start with this setting."
            },
            mixinStandardHelpOptions = true)
    int generate() {
        System.out.println(ApiKeySecret.generate());
        return 0;
    }

    private static Account account(AccountAdministration accounts, EmailOption email) throws CommandException {
        Account account = await(accounts.find(email.address()));
        if (account == null) {
            throw email.notFound();
        }
        return account;
    }
}
