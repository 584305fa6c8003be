package dev.plumbline.cli;

import dev.plumbline.account.EmailAddress;
import dev.plumbline.cli.AccountCommandSession.Refusal;
import picocli.CommandLine.Option;

/** {@code --email ADDRESS}, which says whose account it is about. */
final class EmailOption {
    @Option(
            names = "--email",
            required = true,
            paramLabel = "ADDRESS",
            description = "The account's e-mail address.",
            converter = AccountOptions.Email.class)
    private EmailAddress address;

    EmailAddress address() {
        return address;
    }

    /** What to say where there is no such account. */
    Refusal nobody() {
        return new Refusal("there is no account with the address " + address.text());
    }
}
