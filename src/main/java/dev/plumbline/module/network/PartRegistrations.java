package dev.plumbline.module.network;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.PartResult;
import dev.plumbline.module.reference.DanglingReferences;
import dev.plumbline.module.reference.DanglingReferences.Registration;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Verdict;
import io.vertx.core.Future;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Looks up the registrations of the domains to which parts refer although they do not exist, each once, and adds the
 * findings that these parts report with the option {@code registrations}. The parts run without this option, so that
 * they share their cached results with checks of their modules.
 */
final class PartRegistrations {
    private PartRegistrations() {}

    static Future<List<PartResult>> add(CheckContext context, List<PartResult> parts) {
        Set<String> domains = new LinkedHashSet<>();
        parts.forEach(part -> domains.addAll(DanglingReferences.undelegatedDomains(part.result())));
        return DanglingReferences.registrations(context, domains)
                .map(registrations ->
                        parts.stream().map(part -> with(part, registrations)).toList());
    }

    private static PartResult with(PartResult part, Map<String, Registration> registrations) {
        CheckResult result = part.result();
        Map<String, Registration> own = new LinkedHashMap<>(registrations);
        own.keySet().retainAll(DanglingReferences.undelegatedDomains(result));
        if (own.isEmpty()) {
            return part;
        }
        List<Finding> findings = Stream.concat(
                        result.findings().stream(),
                        DanglingReferences.findings(part.part().module(), own).stream())
                .toList();
        Verdict verdict =
                Verdict.of(findings, result.error(), part.part().module().reachability());
        return new PartResult(
                part.part(),
                part.target(),
                result.withFindings(verdict, findings, result.truncated()),
                part.unverified());
    }
}
