package dev.plumbline.cli;

import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.sheet.FieldDescription;
import dev.plumbline.sheet.FindingCode;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.sheet.OptionDescription;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code plumbline tools}: lists the modules, or describes one. */
@Command(
        name = "tools",
        description = "Lists the modules, or describes one with its options, fields and findings.",
        mixinStandardHelpOptions = true)
public final class ToolsCommand implements Callable<Integer> {
    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "MODULE",
            completionCandidates = OptionConverters.Modules.class,
            description = "Module, for example http-status.")
    private @Nullable String module;

    @Override
    public Integer call() {
        if (module == null) {
            System.out.print(list(ModuleCatalogue.load().descriptions()));
            return 0;
        }
        ModuleDescription found = JobOptions.module(module);
        if (found == null) {
            return StandardError.fail(CheckCommand.INVALID, OptionConverters.unknownModule(module));
        }
        System.out.print(describe(found));
        return 0;
    }

    private static String list(List<ModuleDescription> modules) {
        TableFormatter table = new TableFormatter("CATEGORY", "MODULE", "TARGET", "TITLE");
        modules.stream()
                .sorted(Comparator.comparing(ModuleDescription::category).thenComparing(ModuleDescription::module))
                .forEach(tool -> table.row(tool.category(), tool.module(), input(tool), tool.title()));
        return table.toString();
    }

    private static String describe(ModuleDescription tool) {
        TableFormatter options = new TableFormatter("OPTION", "DEFAULT", "DESCRIPTION");
        for (OptionDescription option : tool.options()) {
            Object value = option.defaultValue();
            options.row(option.name(), value == null ? "-" : value.toString(), option.description());
        }
        TableFormatter fields = new TableFormatter("FIELD", "TYPE", "DESCRIPTION");
        for (FieldDescription field : tool.fields()) {
            fields.row(field.name(), field.type().id() + (field.nullable() ? "?" : ""), field.description());
        }
        TableFormatter findings = new TableFormatter("LEVEL", "CONSEQUENCE", "FINDING", "TITLE");
        for (FindingCode finding : tool.findings()) {
            findings.row(finding.level().id(), finding.consequence().id(), finding.code(), finding.title());
        }
        return "%s: %s%n%nplumbline check %s %s%nVersion of the rules: %d%n%n%s%n%s%n%s"
                .formatted(
                        tool.title(),
                        tool.summary(),
                        tool.module(),
                        tool.example(),
                        tool.version(),
                        options,
                        fields,
                        findings);
    }

    private static String input(ModuleDescription tool) {
        return tool.input().name().toLowerCase(Locale.ROOT);
    }
}
