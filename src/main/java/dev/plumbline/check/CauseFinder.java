package dev.plumbline.check;

import com.google.common.base.Strings;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.Consequence;
import dev.plumbline.result.ErrorAction;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.ErrorKind;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Level;
import dev.plumbline.result.Verdict;
import dev.plumbline.sheet.FindingCode;
import dev.plumbline.target.InvalidTargetException;
import dev.plumbline.target.PrintableText;
import dev.plumbline.target.Target;
import dev.plumbline.target.TargetParser;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Groups the findings and errors of the parts of a composite by cause. Errors of the same {@link ErrorKind} of the same
 * host and port are one problem, and so are equal errors of DNS lookups. A problem that another problem explains
 * ({@link FindingCode#explains}) is an effect of it. A finding explains the error of its part if no other part has this
 * error, and an error explains the findings of its area whose messages contain its message.
 */
public final class CauseFinder {
    private static final int MAX_CAUSES = 40;
    private static final int MAX_TEXT = 200;

    /** @param port 0 for all ports */
    private record HostAndPort(String host, int port) {
        boolean isIn(HostAndPort domain) {
            return host.equals(domain.host) || host.endsWith("." + domain.host);
        }

        @Override
        public String toString() {
            return port == 0 ? host : host + ":" + port;
        }
    }

    private record ErrorKey(ErrorKind kind, HostAndPort location) {}

    private record FindingKey(String module, String code) {}

    /** A finding of a part, or an error of one or more parts: a cause, or the effect of one. */
    private static final class Candidate {
        private final Set<PartResult> parts = new LinkedHashSet<>();
        private final PartResult owner;
        private final @Nullable Finding finding;
        private final @Nullable FindingCode declared;
        private final HostAndPort location;

        /** @param finding null for an error */
        Candidate(PartResult owner, @Nullable Finding finding, HostAndPort location) {
            this.owner = owner;
            this.finding = finding;
            this.declared = finding == null ? null : owner.part().module().finding(finding.code());
            this.location = location;
            parts.add(owner);
        }

        boolean explains(Candidate other) {
            if (other == this) {
                return false;
            }
            if (finding == null) {
                return other.finding != null && isQuotedBy(other) && !other.explains(this);
            }
            return other.finding == null
                    ? isOnlyReasonOf(other) || other.parts.stream().anyMatch(part -> explains(part.errorCode(), other))
                    : declared != null
                            && declared.explains().contains(other.owner.module() + "/" + other.finding.code())
                            && (!isAboutDns() || isRelatedTo(other));
        }

        /**
         * Whether a finding of the same part or area is about this error, for example "The redirects end at …
         * Connection refused by …".
         */
        private boolean isQuotedBy(Candidate other) {
            CheckError error = owner.result().error();
            boolean same = parts.contains(other.owner)
                    || owner.part().area().equals(other.owner.part().area());
            return same
                    && error != null
                    && other.finding != null
                    && other.finding.message().contains(error.message());
        }

        /** Whether no other part has the error of the part with this finding. */
        private boolean isOnlyReasonOf(Candidate error) {
            return error.parts.size() == 1 && error.parts.contains(owner);
        }

        private boolean explains(@Nullable ErrorCode code, Candidate error) {
            if (code == null || declared == null || !declared.explains().contains(code.id())) {
                return false;
            }
            if (ErrorKind.of(code) != ErrorKind.DNS) {
                return error.location.equals(location);
            }
            // the host of an MX record can be in another domain
            return owner.module().equals(CompositePart.MX_MODULE)
                    ? error.parts.stream().allMatch(part -> part.part().needsMailServer())
                    : isRelatedTo(error);
        }

        private boolean isAboutDns() {
            return owner.part().module().category().equals("dns");
        }

        /** Whether one of the hosts is the other or in the domain of the other. */
        private boolean isRelatedTo(Candidate other) {
            return other.location.isIn(location) || location.isIn(other.location);
        }
    }

    private final List<PartResult> parts;
    private final Map<Object, Candidate> candidates = new LinkedHashMap<>();

    private CauseFinder(List<PartResult> parts) {
        this.parts = parts;
        parts.forEach(this::add);
    }

    /** The causes, the most important first, at most 40. */
    public static List<Cause> of(List<PartResult> parts) {
        CauseFinder finder = new CauseFinder(parts);
        Map<Candidate, List<Candidate>> groups = new LinkedHashMap<>();
        for (Candidate candidate : finder.candidates.values()) {
            groups.computeIfAbsent(finder.root(candidate), root -> new ArrayList<>())
                    .add(candidate);
        }
        return groups.entrySet().stream()
                .map(entry -> finder.cause(entry.getKey(), entry.getValue()))
                .sorted(Cause.MOST_IMPORTANT_FIRST)
                .limit(MAX_CAUSES)
                .toList();
    }

    private void add(PartResult part) {
        CheckError error = part.result().error();
        if (error != null) {
            ErrorKind kind = ErrorKind.of(error.code());
            HostAndPort location = location(part, kind != ErrorKind.DNS);
            Object key =
                    switch (kind) {
                        // a check can look up names that are not its target
                        case DNS -> error;
                        case OTHER -> new FindingKey(part.module(), error.code().id());
                        default -> new ErrorKey(kind, location);
                    };
            Candidate known = candidates.get(key);
            if (known == null) {
                candidates.put(key, new Candidate(part, null, location));
            } else if (part.entry() && !known.owner.entry()) {
                // the part on which the others depend reports the problem
                Candidate better = new Candidate(part, null, location);
                better.parts.addAll(known.parts);
                candidates.put(key, better);
            } else {
                known.parts.add(part);
            }
        }
        boolean certain =
                part.target() != null && (error == null || !part.part().needsMailServer() || part.endedByTarget());
        if (!certain) {
            return;
        }
        for (Finding finding : part.inspected().findings()) {
            if (finding.level() != Level.INFO) {
                candidates.putIfAbsent(
                        new FindingKey(part.module(), finding.code()),
                        new Candidate(part, finding, location(part, true)));
            }
        }
    }

    private static HostAndPort location(PartResult part, boolean withPort) {
        String text = Strings.nullToEmpty(part.result().target());
        try {
            Target target = TargetParser.parse(part.part().module(), text);
            int port = target.port() != 0
                    ? target.port()
                    : part.part().module().category().equals("web") ? Target.Url.defaultPort("https") : 0;
            return new HostAndPort(target.host().name(), withPort ? port : 0);
        } catch (InvalidTargetException impossible) {
            return new HostAndPort(text, 0);
        }
    }

    /** The candidate that explains this one, and is not explained itself. Sheets do not declare loops. */
    private Candidate root(Candidate candidate) {
        Set<Candidate> visited = new LinkedHashSet<>();
        Candidate root = candidate;
        while (visited.add(root)) {
            Candidate effect = root;
            root = candidates.values().stream()
                    .filter(other -> other.explains(effect))
                    .findFirst()
                    .orElse(effect);
        }
        return root;
    }

    /** @param group the root and its effects */
    private Cause cause(Candidate root, List<Candidate> group) {
        List<String> affected = Stream.concat(
                        Stream.of(root.owner), group.stream().flatMap(each -> each.parts.stream()))
                .map(PartResult::module)
                .distinct()
                .toList();
        Finding finding = root.finding;
        if (finding == null) {
            return ofError(root, affected);
        }
        // an effect can be worse than its cause; the consequence of an error is that of the finding about it
        return new Cause(
                finding.code(),
                root.owner.module(),
                root.owner.result().target(),
                group.stream()
                        .flatMap(each -> Stream.ofNullable(each.finding))
                        .map(Finding::level)
                        .min(Level.MOST_SEVERE_FIRST)
                        .orElse(finding.level()),
                group.stream()
                        .filter(each -> each.finding != null)
                        .map(this::consequence)
                        .min(Comparator.naturalOrder())
                        .orElse(consequence(root)),
                shorten(finding.message()),
                shorten(finding.action()),
                affected);
    }

    private Consequence consequence(Candidate candidate) {
        Consequence declared = candidate.declared == null ? Consequence.RECOMMENDED : candidate.declared.consequence();
        return declared == Consequence.UNAVAILABLE && anotherMailServerResponds(candidate.owner)
                ? Consequence.DEGRADED
                : declared;
    }

    private Cause ofError(Candidate candidate, List<String> parts) {
        CheckError error = Objects.requireNonNull(
                candidate.owner.result().error(), "the candidate has neither a finding nor an error");
        boolean unavailable = candidate.parts.stream().anyMatch(this::isUnavailable);
        boolean targetFault = candidate.parts.stream().anyMatch(PartResult::endedByTarget);
        return new Cause(
                error.code().id(),
                candidate.owner.module(),
                ErrorKind.of(error.code()) == ErrorKind.OTHER
                        ? candidate.owner.result().target()
                        : candidate.location.toString(),
                unavailable ? Level.FAIL : targetFault ? Level.WARN : Level.INFO,
                unavailable ? Consequence.UNAVAILABLE : targetFault ? Consequence.DEGRADED : Consequence.RECOMMENDED,
                shorten(error.message()),
                ErrorAction.of(error.code()),
                parts);
    }

    /** Whether the website or mail does not work because the server of this part cannot be used. */
    private boolean isUnavailable(PartResult part) {
        return part.entry() && part.verdict() == Verdict.FAIL && !anotherMailServerResponds(part);
    }

    /** Whether the part is about a mail server, and mail is delivered to another one. */
    private boolean anotherMailServerResponds(PartResult part) {
        return part.part().needsMailServer()
                && parts.stream()
                        .filter(each -> each.module().equals(CompositePart.MX_MODULE))
                        .anyMatch(mx -> CompositePart.otherMailServerResponds(
                                mx.result(), location(part, false).host()));
    }

    private static String shorten(String text) {
        return PrintableText.shorten(text, MAX_TEXT);
    }

    /**
     * Whether no part has a result about the domain, so that the composite does not have one either: each part has an
     * error, and not because the website or mail does not work.
     */
    public static boolean noneReached(List<PartResult> parts, List<Cause> causes) {
        return !parts.isEmpty()
                && parts.stream().allMatch(part -> part.errorCode() != null)
                && (causes.stream().noneMatch(Cause::unavailable)
                        || parts.stream().allMatch(part -> part.errorCode() == ErrorCode.DNS_NXDOMAIN));
    }
}
