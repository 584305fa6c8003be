package dev.plumbline.cli;

import static dev.plumbline.cli.AccountCommandSession.await;

import dev.plumbline.account.Account;
import dev.plumbline.account.AccountAdministration;
import dev.plumbline.account.PasswordHasher;
import dev.plumbline.account.Plan;
import dev.plumbline.cli.AccountCommandSession.Refusal;
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

/** Accounts, for the operator; beside a running service or without one. */
@Command(
        name = "account",
        description = "Makes, lists and changes accounts.",
        mixinStandardHelpOptions = true,
        synopsisSubcommandLabel = "COMMAND",
        footerHeading = "%nExit code:%n",
        footer = {"  0  done", "  1  not done; stderr says why", "  2  wrong usage"})
public final class AccountCommand {
    private static final int PAGE = 500;

    @Command(
            name = "create",
            description = "Makes an account. Prints 'password PASSWORD' if none is given: it is told once.",
            mixinStandardHelpOptions = true)
    int create(
            @Mixin ConfigOption config,
            @Mixin EmailOption email,
            @Option(
                            names = "--plan",
                            defaultValue = "pro",
                            description = "free or pro; default: ${DEFAULT-VALUE}.",
                            converter = AccountOptions.PlanName.class)
                    Plan plan,
            @Option(names = "--password-stdin", description = "Read the password from stdin, one line.")
                    boolean passwordFromStdin) {
        return AccountCommandSession.run(config, true, desk -> {
            String password = password(passwordFromStdin);
            if (await(desk.accounts().create(email.address(), plan, password)) == null) {
                throw new Refusal("there is an account with the address "
                        + email.address().text() + " already");
            }
            tell(password, passwordFromStdin);
        });
    }

    @Command(name = "list", description = "Lists all accounts.", mixinStandardHelpOptions = true)
    int list(@Mixin ConfigOption config, @Option(names = "--json", description = "Print a JSON array.") boolean json) {
        return AccountCommandSession.run(config, false, desk -> {
            List<Account> all = new ArrayList<>();
            List<Account> page;
            do {
                long last = all.isEmpty() ? 0 : all.get(all.size() - 1).id();
                page = await(desk.accounts().list(last, PAGE));
                all.addAll(page);
            } while (page.size() == PAGE);
            System.out.print(json ? json(all) : text(all));
            System.out.flush();
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
            description = "Changes an account's plan, within a second on all nodes.",
            mixinStandardHelpOptions = true)
    int setPlan(
            @Mixin ConfigOption config,
            @Mixin EmailOption email,
            @Option(
                            names = "--plan",
                            required = true,
                            description = "free or pro.",
                            converter = AccountOptions.PlanName.class)
                    Plan plan) {
        return AccountCommandSession.run(
                config, false, desk -> found(email, await(desk.accounts().setPlan(email.address(), plan))));
    }

    @Command(
            name = "set-password",
            description = {
                "Gives an account another password and ends its sessions.",
                "Prints 'password PASSWORD' if none is given: it is told once."
            },
            mixinStandardHelpOptions = true)
    int setPassword(
            @Mixin ConfigOption config,
            @Mixin EmailOption email,
            @Option(names = "--password-stdin", description = "Read the password from stdin, one line.")
                    boolean passwordFromStdin) {
        return AccountCommandSession.run(config, false, desk -> {
            String password = password(passwordFromStdin);
            found(email, await(desk.accounts().setPassword(email.address(), password)));
            tell(password, passwordFromStdin);
        });
    }

    @Command(
            name = "disable",
            description = "Shuts an account out: its keys open nothing and nobody can sign in.",
            mixinStandardHelpOptions = true)
    int disable(
            @Mixin ConfigOption config,
            @Mixin EmailOption email,
            @Option(names = "--undo", description = "Let it in again.") boolean undo) {
        return AccountCommandSession.run(
                config, false, desk -> found(email, await(desk.accounts().setDisabled(email.address(), !undo))));
    }

    @Command(
            name = "delete",
            description = "Deletes an account for good: forgets its address and password, revokes its keys, ends its"
                    + " sessions. The service then cancels its jobs and deletes their results.",
            mixinStandardHelpOptions = true)
    int delete(@Mixin ConfigOption config, @Mixin EmailOption email) {
        return AccountCommandSession.run(
                config, false, desk -> found(email, await(desk.accounts().delete(email.address()))));
    }

    private static void found(EmailOption email, boolean found) throws Refusal {
        if (!found) {
            throw email.nobody();
        }
    }

    /** Never on the command line, where everybody on the machine could read it. */
    private static String password(boolean fromStdin) throws Refusal {
        if (!fromStdin) {
            return AccountAdministration.generatePassword();
        }
        try {
            String line = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine();
            String fault = line == null ? "There is no password on stdin." : PasswordHasher.fault(line);
            if (fault != null) {
                throw new Refusal(fault);
            }
            return line;
        } catch (IOException unreadable) {
            throw new Refusal("stdin cannot be read: " + unreadable.getMessage());
        }
    }

    private static void tell(String password, boolean theirs) {
        if (!theirs) {
            System.out.println("password " + password);
            System.out.flush();
        }
    }
}
