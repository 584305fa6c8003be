package dev.plumbline.cli;

import dev.plumbline.config.ConfigException;
import dev.plumbline.config.SettingValue;
import dev.plumbline.target.ExceptionMessage;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code plumbline config}: prints every setting. */
@Command(
        name = "config",
        description = "Prints every setting with its value and source. Secrets are hidden.",
        mixinStandardHelpOptions = true,
        footerHeading = "%nExit codes:%n",
        footer = {
            "  0  the configuration is valid",
            "  1  the configuration is not valid, see stderr",
            "  4  invalid usage"
        })
public final class ConfigCommand implements Callable<Integer> {
    @Mixin
    private ConfigOption config = new ConfigOption();

    @Override
    public Integer call() {
        TableFormatter table = new TableFormatter("SETTING", "VALUE", "SOURCE");
        try {
            for (SettingValue setting : config.describe()) {
                table.row(setting.name(), setting.value().isEmpty() ? "(empty)" : setting.value(), setting.source());
            }
        } catch (ConfigException invalid) {
            StandardError.println("plumbline: Invalid configuration:");
            ExceptionMessage.of(invalid).lines().forEach(line -> StandardError.println("  " + line));
            return 1;
        }
        System.out.print(table);
        return 0;
    }
}
