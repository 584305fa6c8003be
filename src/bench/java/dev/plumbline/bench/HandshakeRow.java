package dev.plumbline.bench;

import java.io.IOException;
import java.util.List;

/** Fresh {@code ssl-certificate} checks compared with the TCP+TLS probe of blackbox_exporter. */
final class HandshakeRow implements Row {
    private static final String WHAT = "Fresh ssl-certificate ÷ blackbox_exporter TCP+TLS /probe";
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
        Blackbox blackbox = stage.blackbox();
        ServiceUnderLoad service = stage.service();
        stage.setLoaded();
        Comparison pair = Comparison.measure(
                id(),
                stage.options(),
                service.checks(
                        wrk,
                        ServiceUnderLoad.instantPath("ssl-certificate", server, "?sni="),
                        "." + TargetNames.ZONE,
                        "\"trusted\":true"),
                blackbox.probes(wrk, Blackbox.handshakePath(server) + "&number="));
        return List.of(pair.line(
                mlkem ? WHAT + ", X25519MLKEM768" : WHAT,
                GOAL,
                "Plumbline sends a different server name per check and verifies; the reference does not verify"));
    }
}
