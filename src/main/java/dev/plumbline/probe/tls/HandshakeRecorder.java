package dev.plumbline.probe.tls;

import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/**
 * Records the certificates of handshakes that fail later: a server that requires a client certificate sends its own
 * first.
 */
final class HandshakeRecorder {

    /** The data of one handshake so far. */
    static final class Observation {
        volatile X509Certificate[] chain = {};
        volatile boolean certificateRequested;
    }

    private final Map<SSLEngine, Observation> observations = new ConcurrentHashMap<>();

    Observation observe(SSLEngine engine) {
        Observation observation = new Observation();
        observations.put(engine, observation);
        return observation;
    }

    void forget(SSLEngine engine) {
        observations.remove(engine);
    }

    AcceptAllTrustManager trustManager() {
        return new AcceptAllTrustManager() {
            @Override
            public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {
                Observation observation = observations.get(engine);
                if (observation != null) {
                    observation.chain = chain;
                }
            }
        };
    }

    /** Has no certificate, and records that one was requested. */
    X509ExtendedKeyManager keyManager() {
        return new X509ExtendedKeyManager() {
            @Override
            public @Nullable String chooseEngineClientAlias(
                    String[] types, Principal @Nullable [] issuers, SSLEngine engine) {
                Observation observation = observations.get(engine);
                if (observation != null) {
                    observation.certificateRequested = true;
                }
                return null;
            }

            @Override
            public @Nullable String chooseClientAlias(
                    String[] types, Principal @Nullable [] issuers, @Nullable Socket socket) {
                return null;
            }

            @Override
            public @Nullable String chooseServerAlias(
                    String type, Principal @Nullable [] issuers, @Nullable Socket socket) {
                return null;
            }

            @Override
            public String @Nullable [] getClientAliases(String type, Principal @Nullable [] issuers) {
                return null;
            }

            @Override
            public String @Nullable [] getServerAliases(String type, Principal @Nullable [] issuers) {
                return null;
            }

            @Override
            public X509Certificate @Nullable [] getCertificateChain(String alias) {
                return null;
            }

            @Override
            public @Nullable PrivateKey getPrivateKey(String alias) {
                return null;
            }
        };
    }
}
