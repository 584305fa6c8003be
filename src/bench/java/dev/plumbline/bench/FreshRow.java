package dev.plumbline.bench;

import java.io.IOException;
import java.util.List;

/**
 * Fresh {@code http-status} checks compared with {@code /probe} of blackbox_exporter for the same site. Each check uses
 * a new connection, without cache and without TLS session resumption.
 */
final class FreshRow implements Row {
    private static final String RIGHT = "\"verdict\":\"pass\"";

    /** The target of both sides. */
    enum Site {
        HTTP,
        HTTPS,
        /** HTTPS with the key exchange X25519MLKEM768. */
        MLKEM;

        private String url(BenchStage stage) throws IOException, InterruptedException {
            return this == MLKEM
                    ? "https://" + stage.mlkem().address()
                    : stage.nginx().site(this == HTTPS);
        }
    }

    private final String id;
    private final String what;
    private final Site site;
    private final String query;
    private final double goal;
    private final String note;

    /** @param query options of the check, for example {@code ?method=get} */
    FreshRow(String id, String what, Site site, String query, double goal, String note) {
        this.id = id;
        this.what = what;
        this.site = site;
        this.query = query;
        this.goal = goal;
        this.note = note;
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public List<BulkLine> measure(BenchStage stage) throws IOException, InterruptedException {
        Wrk wrk = stage.wrk();
        String url = site.url(stage) + "/";
        Blackbox blackbox = stage.blackbox();
        ServiceUnderLoad service = stage.service();
        BenchOptions options = stage.options();
        stage.setLoaded();
        Comparison pair = Comparison.measure(
                id,
                options,
                service.checks(wrk, ServiceUnderLoad.instantPath("http-status", url, ""), query, RIGHT),
                blackbox.probes(wrk, Blackbox.probePath(url)));
        return List.of(pair.line(what, goal, note));
    }
}
