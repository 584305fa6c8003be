package dev.plumbline.bench;

import java.io.IOException;
import java.util.List;

/** Fresh {@code ssl-certificate} checks compared with the TCP+TLS probe of blackbox_exporter or with the baseline. */
final class HandshakeRow implements Row {
    private static final double GOAL = 2;

    private final boolean mlkem;

    /** @param mlkem whether the server selects the key exchange X25519MLKEM768 */
    HandshakeRow(boolean mlkem) {
        this.mlkem = mlkem;
    }

    @Override
    public String id() {
        return mlkem ? "certificate-mlkem" : "certificate";
    }

    @Override
    public List<BulkLine> measure(BenchStage stage) throws IOException, InterruptedException {
        Wrk wrk = stage.wrk();
        String server =
                mlkem ? stage.mlkem().address() : "127.0.0.1:" + stage.nginx().httpsPort();
        boolean baseline = stage.options().baseline() != null;
        ServiceUnderLoad service = baseline ? stage.resolving() : stage.service();
        Comparison.Side reference = baseline
                ? checks(stage.baseline(), wrk, server)
                : stage.blackbox().probes(wrk, Blackbox.handshakePath(server) + "&number=");
        stage.setLoaded();
        Comparison pair = Comparison.measure(id(), stage.options(), checks(service, wrk, server), reference);
        String what = "Fresh ssl-certificate ÷ " + (baseline ? "baseline" : "blackbox_exporter TCP+TLS /probe");
        return List.of(pair.line(
                mlkem ? what + ", X25519MLKEM768" : what,
                baseline ? ModuleRow.MIN_BASELINE_RATIO : GOAL,
                "Plumbline sends a different server name per check and verifies; the reference "
                        + (baseline ? "is another build" : "does not verify")));
    }

    private static Comparison.Side checks(ServiceUnderLoad service, Wrk wrk, String server) {
        return service.checks(
                wrk,
                ServiceUnderLoad.instantPath("ssl-certificate", server, "?sni="),
                "." + TargetNames.ZONE,
                "\"trusted\":true");
    }
}
