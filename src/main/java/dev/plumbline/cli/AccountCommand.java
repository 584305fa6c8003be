package dev.plumbline.cli;

import static dev.plumbline.cli.DatabaseCommandRunner.await;

import dev.plumbline.account.Account;
import dev.plumbline.account.AccountAdministration;
import dev.plumbline.account.PasswordHasher;
import dev.plumbline.account.Plan;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code plumbline account}: manages accounts, with or without a running service. */
@Command(
        name = "account",
        description = "Manages accounts.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        footerHeading = "%nExit codes:%n",
        footer = {"  0  success", "  1  error, see stderr", "  4  invalid usage"})
public final class AccountCommand {
    private static final int PAGE = 500;

    @Command(
            name = "create",
            description = "Creates an account. Without --password-stdin, generates a password and prints 'password "
                    + "PASSWORD'.",
            mixinStandardHelpOptions = true)
    int create(
            @Mixin ConfigOption config,
            @Mixin EmailOption email,
            @Option(
                            names = "--plan",
                            defaultValue = "pro",
                            completionCandidates = OptionConverters.Plans.class,
                            description = "Plan: free or pro (default: ${DEFAULT-VALUE}).")
                    Plan plan,
            @Option(names = "--password-stdin", description = "Read the password from the first line of stdin.")
                    boolean passwordFromStdin) {
        return DatabaseCommandRunner.run(config, true, accounts -> {
            String password = password(passwordFromStdin);
            if (await(accounts.create(email.address(), plan, password)) == null) {
                throw new CommandException(
                        "an account with the e-mail address " + email.address().text() + " already exists");
            }
            print(password, passwordFromStdin);
        });
    }

    @Command(name = "list", description = "Lists all accounts.", mixinStandardHelpOptions = true)
    int list(@Mixin ConfigOption config, @Option(names = "--json", description = "Print a JSON array.") boolean json) {
        return DatabaseCommandRunner.run(config, false, accounts -> {
            List<Account> all = new ArrayList<>();
            List<Account> page;
            do {
                long last = all.isEmpty() ? 0 : all.get(all.size() - 1).id();
                page = await(accounts.list(last, PAGE));
                all.addAll(page);
            } while (page.size() == PAGE);
            System.out.print(json ? json(all) : text(all));
        });
    }

    private static String json(List<Account> accounts) {
        JsonArray array = new JsonArray();
        for (Account account : accounts) {
            array.add(new JsonObject()
                    .put("id", account.id())
                    .put("email", account.email())
                    .put("plan", account.plan().id())
                    .put("disabled", account.disabled())
                    .put("created_at", account.createdAt().toString())
                    .put("live_key_count", account.keys()));
        }
        return array.encodePrettily() + "\n";
    }

    private static String text(List<Account> accounts) {
        TableFormatter columns = new TableFormatter("EMAIL", "PLAN", "STATE", "KEYS", "CREATED");
        for (Account account : accounts) {
            columns.row(
                    account.email(),
                    account.plan().id(),
                    account.disabled() ? "disabled" : "active",
                    Integer.toString(account.keys()),
                    TableFormatter.time(account.createdAt()));
        }
        return columns.toString();
    }

    @Command(
            name = "set-plan",
            description = "Changes the plan of an account. Effective on all nodes within a second.",
            mixinStandardHelpOptions = true)
    int setPlan(
            @Mixin ConfigOption config,
            @Mixin EmailOption email,
            @Option(
                            names = "--plan",
                            required = true,
                            completionCandidates = OptionConverters.Plans.class,
                            description = "Plan: free or pro.")
                    Plan plan) {
        return DatabaseCommandRunner.run(
                config, false, accounts -> found(email, await(accounts.setPlan(email.address(), plan))));
    }

    @Command(
            name = "set-password",
            description = {
                "Sets a new password and ends all sessions of the account.",
                "Without --password-stdin, generates a password and prints 'password PASSWORD'."
            },
            mixinStandardHelpOptions = true)
    int setPassword(
            @Mixin ConfigOption config,
            @Mixin EmailOption email,
            @Option(names = "--password-stdin", description = "Read the password from the first line of stdin.")
                    boolean passwordFromStdin) {
        return DatabaseCommandRunner.run(config, false, accounts -> {
            String password = password(passwordFromStdin);
            found(email, await(accounts.setPassword(email.address(), password)));
            print(password, passwordFromStdin);
        });
    }

    @Command(
            name = "disable",
            description = "Disables an account: its API keys are rejected, and its user cannot sign in.",
            mixinStandardHelpOptions = true)
    int disable(
            @Mixin ConfigOption config,
            @Mixin EmailOption email,
            @Option(names = "--undo", description = "Enable the account again.") boolean undo) {
        return DatabaseCommandRunner.run(
                config, false, accounts -> found(email, await(accounts.setDisabled(email.address(), !undo))));
    }

    @Command(
            name = "delete",
            description = "Deletes an account permanently: removes its e-mail address and password, revokes its keys, "
                    + "and ends its sessions. The service then cancels its jobs and deletes their results.",
            mixinStandardHelpOptions = true)
    int delete(@Mixin ConfigOption config, @Mixin EmailOption email) {
        return DatabaseCommandRunner.run(
                config, false, accounts -> found(email, await(accounts.delete(email.address()))));
    }

    private static void found(EmailOption email, boolean found) throws CommandException {
        if (!found) {
            throw email.notFound();
        }
    }

    /** Reads the password from stdin, because arguments are visible to other users of the machine. */
    private static String password(boolean fromStdin) throws CommandException {
        if (!fromStdin) {
            return AccountAdministration.generatePassword();
        }
        try {
            String line = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine();
            String fault = line == null ? "stdin does not contain a password." : PasswordHasher.validate(line);
            if (fault != null) {
                throw new CommandException(fault);
            }
            return line;
        } catch (IOException unreadable) {
            throw new CommandException("Cannot read stdin: " + unreadable.getMessage());
        }
    }

    private static void print(String password, boolean fromStdin) {
        if (!fromStdin) {
            System.out.println("password " + password);
        }
    }
}
