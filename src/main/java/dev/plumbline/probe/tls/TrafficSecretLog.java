package dev.plumbline.probe.tls;

import io.netty.handler.ssl.ReferenceCountedOpenSslEngine;
import io.netty.internal.tcnative.KeyLogCallback;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import javax.net.ssl.SSLEngine;
import org.jspecify.annotations.Nullable;

/** Receives the traffic secrets of handshakes from BoringSSL, in the SSLKEYLOGFILE format. */
final class TrafficSecretLog implements KeyLogCallback {
    private static final String HANDSHAKE = "SERVER_HANDSHAKE_TRAFFIC_SECRET";
    private static final String APPLICATION = "SERVER_TRAFFIC_SECRET_0";

    /** The secrets of the server in one handshake; null until they are known. */
    static final class Secrets {
        private final long engine;
        private volatile byte @Nullable [] handshake;
        private volatile byte @Nullable [] application;

        private Secrets(long engine) {
            this.engine = engine;
        }

        byte @Nullable [] handshake() {
            return handshake;
        }

        byte @Nullable [] application() {
            return application;
        }
    }

    private final ConcurrentMap<Long, Secrets> byEngine = new ConcurrentHashMap<>();

    Secrets observe(SSLEngine engine) {
        Secrets secrets = new Secrets(((ReferenceCountedOpenSslEngine) engine).sslPointer());
        byEngine.put(secrets.engine, secrets);
        return secrets;
    }

    /** Must be called before the engine is released, because its address is used again. */
    void forget(Secrets secrets) {
        byEngine.remove(secrets.engine, secrets);
    }

    @Override
    public void handle(long engine, byte[] line) {
        Secrets secrets = byEngine.get(engine);
        String[] words = new String(line, StandardCharsets.US_ASCII).strip().split(" ");
        if (secrets == null || words.length != 3) {
            return;
        }
        if (words[0].equals(HANDSHAKE)) {
            secrets.handshake = HexFormat.of().parseHex(words[2]);
        } else if (words[0].equals(APPLICATION)) {
            secrets.application = HexFormat.of().parseHex(words[2]);
        }
    }
}
