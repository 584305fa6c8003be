package dev.plumbline.cli;

import static dev.plumbline.cli.AccountCommandSession.await;

import dev.plumbline.account.Account;
import dev.plumbline.account.AccountAdministration;
import dev.plumbline.account.ApiKey;
import dev.plumbline.account.ApiKeyCreation;
import dev.plumbline.account.ApiKeyRequest;
import dev.plumbline.account.ApiKeySecret;
import dev.plumbline.account.Scope;
import dev.plumbline.cli.AccountCommandSession.Refusal;
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

/** API keys, for the operator; beside a running service or without one. */
@Command(
        name = "key",
        description = "Makes, lists and revokes API keys.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        footerHeading = "%nExit code:%n",
        footer = {"  0  done", "  1  not done; stderr says why", "  2  wrong usage"})
public final class KeyCommand {
    @Command(
            name = "create",
            description = "Makes an API key and prints it, alone: it is told once.",
            mixinStandardHelpOptions = true)
    int create(
            @Mixin ConfigOption config,
            @Mixin EmailOption email,
            @Option(
                            names = "--name",
                            defaultValue = "command line",
                            description = "To tell it from others; default: ${DEFAULT-VALUE}.",
                            converter = AccountOptions.KeyName.class)
                    String name,
            @Option(
                            names = "--scopes",
                            split = ",",
                            defaultValue = "jobs:read,jobs:write",
                            description = "What it may be used for; default: ${DEFAULT-VALUE}.",
                            converter = AccountOptions.ScopeName.class)
                    Set<Scope> scopes,
            @Option(
                            names = "--expires",
                            paramLabel = "TIME",
                            description = "How long it is valid, for example 90d or 12h; default: for ever.",
                            converter = AccountOptions.Validity.class)
                    @Nullable
                    Duration validity) {
        return AccountCommandSession.run(config, false, desk -> {
            Account account = account(desk, email);
            Instant expiry = validity == null ? null : Instant.now().plus(validity);
            ApiKeyCreation creation =
                    await(desk.accounts().createKey(account.id(), new ApiKeyRequest(name, scopes, expiry)));
            if (creation instanceof ApiKeyCreation.Created created) {
                System.out.println(created.secret());
                System.out.flush();
            } else if (creation instanceof ApiKeyCreation.TooMany) {
                throw new Refusal("the account has "
                        + AccountAdministration.MOST_KEYS
                        + " live keys, the most it may have; revoke one first");
            } else {
                throw email.nobody();
            }
        });
    }

    @Command(
            name = "list",
            description = "Lists an account's keys, live ones first; never the keys themselves.",
            mixinStandardHelpOptions = true)
    int list(
            @Mixin ConfigOption config,
            @Mixin EmailOption email,
            @Option(names = "--json", description = "Print a JSON array.") boolean json) {
        return AccountCommandSession.run(config, false, desk -> {
            List<ApiKey> keys = await(desk.accounts().keys(account(desk, email).id()));
            System.out.print(json ? json(keys) : text(keys));
            System.out.flush();
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
            description = "Revokes a key, within a second on all nodes.",
            mixinStandardHelpOptions = true)
    int revoke(
            @Mixin ConfigOption config,
            @Parameters(index = "0", paramLabel = "KEY", description = "Its id, its prefix, or the whole key.")
                    String key) {
        return AccountCommandSession.run(config, false, desk -> {
            switch (await(desk.accounts().revokeKey(key))) {
                case REVOKED -> {}
                case NO_SUCH_KEY -> throw new Refusal("there is no such key; 'key list' lists them");
                case AMBIGUOUS -> throw new Refusal("several keys begin like this; give the id that 'key list' shows");
            }
        });
    }

    @Command(
            name = "generate",
            description = {
                "Prints a new key for bootstrap.api_key.",
                "It is stored nowhere and opens nothing until a first start is given it."
            },
            mixinStandardHelpOptions = true)
    int generate() {
        System.out.println(ApiKeySecret.fresh());
        System.out.flush();
        return 0;
    }

    private static Account account(AccountCommandSession desk, EmailOption email) throws Refusal {
        Account account = await(desk.accounts().find(email.address()));
        if (account == null) {
            throw email.nobody();
        }
        return account;
    }
}
