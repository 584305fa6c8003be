package dev.plumbline.cli;

import dev.plumbline.account.AccountEmail;
import picocli.CommandLine.Option;

/** {@code --email ADDRESS}, the account of a command. */
final class EmailOption {
    @Option(names = "--email", required = true, paramLabel = "ADDRESS", description = "E-mail address of the account.")
    @SuppressWarnings("NullAway.Init") // picocli sets a required option before the command runs
    private AccountEmail address;

    AccountEmail address() {
        return address;
    }

    CommandException notFound() {
        return new CommandException("No account has the e-mail address " + address.text() + ".");
    }
}
