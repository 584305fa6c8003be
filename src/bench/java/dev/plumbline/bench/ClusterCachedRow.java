package dev.plumbline.bench;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;

/** Cached instant checks of a node of a cluster, compared with a single node on the same kind of database. */
final class ClusterCachedRow implements Row {
    private static final double GOAL = 0.95;

    @Override
    public String id() {
        return "cluster-cached";
    }

    @Override
    public List<BulkLine> measure(BenchStage stage) throws IOException, InterruptedException {
        Wrk wrk = stage.wrk();
        String path = ServiceUnderLoad.instantPath("http-status", stage.nginx().site(false) + "/" + id(), "");
        try (ClusterUnderLoad cluster = database(stage);
                ClusterUnderLoad single = database(stage)) {
            Comparison pair = Comparison.measure(
                    id(),
                    stage.options(),
                    side(wrk, cluster.start("http,run,coordinate", Map.of()), path),
                    side(wrk, single.start("", Map.of()), path));
            return List.of(pair.line(
                    "Cached instant check, one node with cluster.enabled ÷ without",
                    GOAL,
                    "the reference is the same program without a cluster"));
        }
    }

    private ClusterUnderLoad database(BenchStage stage) throws IOException {
        return stage.opened(new ClusterUnderLoad(stage.options(), Files.createTempDirectory(stage.folder(), id())));
    }

    private static Comparison.Side side(Wrk wrk, ServiceUnderLoad node, String path) {
        return new Comparison.Side(node.process(), duration -> {
            // the cached result may have expired
            node.get(path);
            String cached = new String(node.get(path).body(), StandardCharsets.UTF_8);
            if (!cached.contains("\"cached\":true") || !cached.contains("\"verdict\":\"pass\"")) {
                throw new IOException("not a cached pass: " + cached);
            }
            return wrk.same(node.process(), node.address(), path, duration);
        });
    }
}
