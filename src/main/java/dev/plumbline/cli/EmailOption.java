package dev.plumbline.cli;

import dev.plumbline.account.AccountEmail;
import dev.plumbline.cli.DatabaseCommandRunner.Refusal;
import picocli.CommandLine.Option;

/** {@code --email ADDRESS}, the account of a command. */
final class EmailOption {
    @Option(names = "--email", required = true, paramLabel = "ADDRESS", description = "E-mail address of the account.")
    @SuppressWarnings("NullAway.Init") // picocli sets a required option before the command runs
    private AccountEmail address;

    AccountEmail address() {
        return address;
    }

    /** The error if the account does not exist. */
    Refusal notFound() {
        return new Refusal("no account with the e-mail address " + address.text());
    }
}
