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
 * Remembers what handshakes showed before they failed: a server that wants a certificate of ours
 * shows its own first.
 */
final class HandshakeRecorder {

    /** What one handshake has shown so far. */
    static final class Observation {
        private volatile X509Certificate[] chain = {};
        private volatile boolean certificateAsked;

        X509Certificate[] chain() {
            return chain;
        }

        boolean certificateAsked() {
            return certificateAsked;
        }
    }

    private final Map<SSLEngine, Observation> watched = new ConcurrentHashMap<>();

    Observation watch(SSLEngine engine) {
        Observation sight = new Observation();
        watched.put(engine, sight);
        return sight;
    }

    void forget(SSLEngine engine) {
        watched.remove(engine);
    }

    AcceptAllTrustManager trust() {
        return new AcceptAllTrustManager() {
            @Override
            public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {
                Observation sight = watched.get(engine);
                if (sight != null) {
                    sight.chain = chain;
                }
            }
        };
    }

    X509ExtendedKeyManager keys() {
        return new EmptyKeyManager();
    }

    /** Has no certificate to show, and notes that one was wanted. */
    private final class EmptyKeyManager extends X509ExtendedKeyManager {
        @Override
        public @Nullable String chooseEngineClientAlias(
                String[] types, Principal @Nullable [] issuers, SSLEngine engine) {
            Observation sight = watched.get(engine);
            if (sight != null) {
                sight.certificateAsked = true;
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
    }
}
