package dev.plumbline.module.mail.dmarc;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.module.mail.dmarc.DmarcRecord.Psd;
import dev.plumbline.module.mail.dmarc.DmarcTree.Level;
import dev.plumbline.probe.dns.DnsProbe;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import org.xbill.DNS.Type;

/** The DNS tree walk (RFC 9989 section 4.10). */
public final class DmarcWalk {
    static final String PREFIX = "_dmarc.";

    private DmarcWalk() {}

    /**
     * Looks up the records of a domain and its parents. Fails if a lookup fails and no record applies to the domain.
     *
     * @param known levels that are not looked up again
     */
    public static Future<DmarcTree> tree(CheckContext context, String domain, List<Level> known) {
        return climb(context, domain, DmarcTree.names(domain), known, new ArrayList<>());
    }

    private static Future<DmarcTree> climb(
            CheckContext context, String domain, List<String> names, List<Level> known, List<Level> levels) {
        if (names.isEmpty() || !DmarcTree.isPublic(names.get(0))) {
            return Future.succeededFuture(new DmarcTree(domain, levels, null));
        }
        String name = names.get(0);
        return known.stream()
                .filter(level -> level.name().equals(name))
                .findFirst()
                .map(Future::succeededFuture)
                .orElseGet(() -> level(context, name))
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
    static Future<Level> level(CheckContext context, String name) {
        DnsProbe dns = context.probe(DnsProbe.class);
        return dns.query(context, PREFIX + name, Type.TXT).compose(response -> {
            Level level = Level.of(name, response.texts());
            return response.texts().isEmpty() || name.indexOf('.') < 0
                    ? Future.succeededFuture(level)
                    : dns.admit(context, name).map(level);
        });
    }
}
