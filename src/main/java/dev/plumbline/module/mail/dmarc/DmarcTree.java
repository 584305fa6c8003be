package dev.plumbline.module.mail.dmarc;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.egress.RegistrableDomains;
import dev.plumbline.module.mail.dmarc.DmarcRecord.Psd;
import dev.plumbline.probe.dns.DnsProbe;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Type;

/**
 * The DMARC records of a domain and its parents, up to one with {@code psd=y} or {@code psd=n} (RFC 9989 section 4.10).
 *
 * @param levels the domain, then its parents; those without records included
 * @param failed the parent whose lookup failed, null if the walk is complete
 */
public record DmarcTree(String domain, List<Level> levels, @Nullable String failed) {
    static final String PREFIX = "_dmarc.";
    private static final int MAX_PARENT_LABELS = 7;
    private static final RegistrableDomains DOMAINS = new RegistrableDomains();

    /**
     * The lookup of one domain.
     *
     * @param records all DMARC records
     * @param lookalike a text that resembles a DMARC record but is not one, null if there is none
     * @param psd the tag psd of the only record
     */
    public record Level(String name, List<String> records, @Nullable String lookalike, Psd psd) {
        Level(String name, List<String> records, @Nullable String lookalike) {
            this(name, records, lookalike, records.size() == 1 ? new DmarcRecord(records.get(0)).psd : Psd.U);
        }

        static Level of(String name, List<String> texts) {
            return new Level(name, DmarcRecord.VERSION.records(texts), DmarcRecord.VERSION.lookalike(texts));
        }

        /** Whether exactly one record exists: several are discarded. */
        boolean hasRecord() {
            return records.size() == 1;
        }
    }

    /**
     * Looks up the records of a domain and its parents. Fails if a lookup fails and no record applies to the domain.
     *
     * @param known levels that are not looked up again
     */
    public static Future<DmarcTree> walk(CheckContext context, String domain, List<Level> known) {
        return climb(context, domain, names(domain), known, new ArrayList<>());
    }

    private static Future<DmarcTree> climb(
            CheckContext context, String domain, List<String> names, List<Level> known, List<Level> levels) {
        if (names.isEmpty() || !isPublic(names.get(0))) {
            return Future.succeededFuture(new DmarcTree(domain, levels, null));
        }
        String name = names.get(0);
        Level before = level(known, name);
        return (before == null ? lookup(context, name) : Future.succeededFuture(before))
                .compose(level -> {
                    levels.add(level);
                    return level.psd() == Psd.U
                            ? climb(context, domain, names.subList(1, names.size()), known, levels)
                            : Future.succeededFuture(new DmarcTree(domain, levels, null));
                })
                .recover(cause -> cause instanceof CheckFailure
                                && !levels.isEmpty()
                                && levels.get(0).hasRecord()
                        ? Future.succeededFuture(new DmarcTree(domain, levels, name))
                        : Future.failedFuture(cause));
    }

    /** The records of a name. Fails if it is private: a name without texts does not disclose anything. */
    static Future<Level> lookup(CheckContext context, String name) {
        DnsProbe dns = context.probe(DnsProbe.class);
        return dns.query(context, PREFIX + name, Type.TXT).compose(response -> {
            Level level = Level.of(name, response.texts());
            return response.texts().isEmpty() || name.indexOf('.') < 0
                    ? Future.succeededFuture(level)
                    : dns.admit(context, name).map(level);
        });
    }

    /** The domains of a walk in order, at most eight. */
    static List<String> names(String domain) {
        List<String> names = new ArrayList<>();
        names.add(domain);
        String[] labels = domain.split("\\.");
        for (int i = Math.max(1, labels.length - MAX_PARENT_LABELS); i < labels.length; i++) {
            names.add(String.join(".", List.of(labels).subList(i, labels.length)));
        }
        return names;
    }

    static @Nullable Level level(List<Level> levels, String name) {
        return levels.stream()
                .filter(level -> level.name().equals(name))
                .findFirst()
                .orElse(null);
    }

    /** The level whose record applies to the domain (RFC 9989 section 4.10.1); null if there is none. */
    @Nullable
    public Level policy() {
        if (levels.get(0).hasRecord()) {
            return levels.get(0);
        }
        Level found = null;
        for (Level level : levels) {
            Level below = found;
            found = level.hasRecord() ? level : found;
            if (level.psd() == Psd.Y) {
                // The record of the organizational domain has precedence over that of its public suffix domain.
                boolean organizational = below != null && below.name().equals(below(level.name()));
                return organizational ? below : level;
            }
        }
        return found;
    }

    /** RFC 9989 section 4.10.2; null if it is unknown. */
    @Nullable
    public String organizationalDomain() {
        String found = domain;
        for (Level level : levels) {
            Psd psd = level.psd();
            if (psd == Psd.Y && !level.name().equals(domain)) {
                return below(level.name());
            }
            found = level.hasRecord() ? level.name() : found;
            if (psd != Psd.U) {
                return found;
            }
        }
        return failed == null ? found : null;
    }

    /** The part of this tree for a parent of the domain. */
    DmarcTree from(String parent) {
        List<Level> upper =
                levels.stream().dropWhile(level -> !level.name().equals(parent)).toList();
        return new DmarcTree(parent, upper, failed);
    }

    /** The name one label below a parent. */
    private String below(String parent) {
        int end = domain.length() - parent.length() - 1;
        return domain.substring(domain.lastIndexOf('.', end - 1) + 1);
    }

    /** The organizational domain of RFC 7489: by the Public Suffix List. */
    public static String listed(String domain) {
        return DOMAINS.of(domain);
    }

    /**
     * The level whose record a receiver of RFC 7489 applies; null if there is none.
     *
     * @param listed the level of the domain in {@link #listed}
     */
    @Nullable
    Level legacyPolicy(Level listed) {
        Level own = levels.get(0);
        Level used = own.records().isEmpty() ? listed : own;
        return used.hasRecord() ? used : null;
    }

    /** Whether a parent can be looked up: an unlisted top-level domain can be that of a private network. */
    private static boolean isPublic(String name) {
        return name.indexOf('.') >= 0 || DOMAINS.isRegistrySuffix(name);
    }

    /** Whether the Public Suffix List contains the name. True for an unlisted top-level domain. */
    static boolean isPublicSuffix(String name) {
        return !DOMAINS.of("a." + name).equals(name);
    }
}
